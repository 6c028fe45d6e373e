import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { insertRoute } from '../../src/services/content/routes.js'
import { type Caller, testApp } from '../support/app.js'
import { engine } from '../support/database.js'

// Where old addresses lead on is the subject of another file.
const app = await testApp({
  i18n_enabled: true,
  webhook_enabled: true,
  publish_mode: 'staged',
  redirect_mode: 'manual',
})
const { call, db } = app
const api = (method: string, path: string, body?: unknown, as: Caller = 'admin') =>
  call(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) })
const post = async (path: string, body: unknown) => {
  const answer = await api('POST', path, body)
  expect([path, answer.status, answer.body.error]).toEqual([path, 201, undefined])
  return answer.body
}
const german = await post('/locales', { code: 'de', label: 'Deutsch' })
for (const code of ['de-AT', 'fr']) await post('/locales', { code, label: code })

const type = (await post('/datatypes', { label: 'Page', type: 'content' })).datatype_id
await post('/fields', { label: 'Text', field_type: 'text', parent_id: type, translatable: true })
await post('/fields', { label: 'See', field_type: 'relation', parent_id: type })
const page = async (route: object, more = {}) => {
  const { route_id } = await post('/routes', route)
  const root = await post('/content', { datatype_id: type, route_id, status: 'published', ...more })
  return { route_id, id: root.content_data_id as string }
}
it('a route goes with its translations, and is refused for what is on it and not for them', async () => {
  const translations = { fr: { slug: '/aussi' } }
  const { route_id } = await page({ slug: '/also', title: 'Also', translations })
  const refused = await api('DELETE', `/routes?q=${route_id}`)
  expect([refused.status, refused.body.error]).toEqual([409, 'still referenced by content_data.route_id'])
  const empty = await post('/routes', {
    slug: '/none',
    title: 'None',
    translations: { fr: { slug: '/rien' } },
  })
  expect((await api('DELETE', `/routes?q=${empty.route_id}`)).status).toBe(204)
  expect((await api('DELETE', `/routes?q=${route_id}&recursive=true`)).status).toBe(204)
})

const about = await page(
  {
    slug: '/about',
    title: 'About',
    translations: { de: { slug: '/über-uns', title: 'Über uns' }, fr: { title: 'À propos' } },
  },
  { fields: { text: 'Us' } },
)
await api('PUT', `/content?q=${about.id}`, { fields: { text: 'Wir' }, locale: 'de' })
await api('POST', '/content/publish', { content_data_id: about.id })
const linking = await page({ slug: '/linking', title: 'Linking' }, { fields: { see: about.id } })

const route = async (id = about.route_id) => (await api('GET', `/routes/?q=${id}`)).body
const change = (translations: unknown, id = about.route_id) =>
  api('PUT', `/routes/?q=${id}`, { translations })
/** Does something while another request is making a route that nobody else sees yet. */
const whileMade = <T>(
  values: { slug: string; title: string; translations?: object },
  work: () => Promise<T>,
) =>
  db.write(systemActor, async tx => {
    await insertRoute(tx, tables, { ...values, author_id: app.users.admin } as Parameters<
      typeof insertRoute
    >[2])
    return work()
  })
const get = (path: string, as: Caller = 'nobody') => call('GET', encodeURI(path), { as })
/** What is shown under an address: title, slug and text. */
const shown = async (path: string, query = '') => {
  const { status, body } = await get(`${path}?format=clean${query}`)
  return status === 200 ? [body.title, body.slug, body.text] : status
}
const inEnglish = ['About', '/about', 'Us']
const inGerman = ['Über uns', '/über-uns', 'Wir']

describe('a translated route', () => {
  it('is found by each of its slugs, and shows the locale of the slug', async () => {
    for (let n = 0; n < 3; n++) {
      expect(await shown('/about')).toEqual(inEnglish)
      expect(await shown('/über-uns')).toEqual(inGerman)
      await app.services.settle()
    }
    expect(await shown('/nirgends')).toBe(404)
    expect((await get('/api/v1/page/über-uns?format=clean', 'viewer')).body.text).toBe('Wir')
  })

  it('shows the locale that is asked for, whatever the slug', async () => {
    expect(await shown('/about', '&locale=de')).toEqual(inGerman)
    expect(await shown('/about', '&locale=de-AT')).toEqual(inGerman)
    expect(await shown('/about', '&locale=de-CH')).toEqual(inGerman)
    expect(await shown('/über-uns', '&locale=en')).toEqual(inEnglish)
    expect(await shown('/about', '&locale=fr')).toEqual(['À propos', '/about', 'Us'])
  })

  it('shows title and slug in every format, and all of them to Contentful’s own clients', async () => {
    const body = async (format: string, query = '') => (await get(`/über-uns?format=${format}${query}`)).body
    expect((await body('strapi')).data).toMatchObject({ title: 'Über uns', slug: '/über-uns', locale: 'de' })
    expect((await body('sanity')).slug.current).toBe('/über-uns')
    expect((await body('wordpress')).title.rendered).toBe('Über uns')
    expect((await body('contentful')).items[0].fields).toMatchObject({ title: 'Über uns', slug: '/über-uns' })
    expect((await body('contentful', '&locale=*')).items[0].fields).toMatchObject({
      title: { en: 'About', de: 'Über uns', fr: 'À propos' },
      slug: { en: '/about', de: '/über-uns' },
    })
    expect((await body('raw')).route).toEqual(await route())
  })

  it('has its translated title and slug in queries, where it is found and where it is referred to', async () => {
    const found = async (id: string, query: string) =>
      (await api('GET', `/query/page/${id}${query}`)).body.data
    expect(await found(about.id, '')).toMatchObject({ slug: '/about', title: 'About' })
    expect(await found(about.id, '?locale=de-AT')).toMatchObject({ slug: '/über-uns', title: 'Über uns' })
    expect((await found(linking.id, '?locale=de')).fields.see).toMatchObject({ slug: '/über-uns' })
    const { fields } = await found(linking.id, '?locale=de&expand=see')
    expect(fields.see).toMatchObject({ title: 'Über uns', fields: { text: 'Wir' } })
  })

  it('has its translated address where other pages link to it', async () => {
    const linked = async (query: string) => (await get(`/linking?format=strapi${query}`)).body.data.see
    expect(await linked('')).toMatchObject({ slug: '/about', title: 'About' })
    expect(await linked('&locale=de')).toMatchObject({ slug: '/über-uns', title: 'Über uns' })
  })
})

describe('a change of translations', () => {
  it('is merged by locale, and null takes away', async () => {
    const before = (await route()).translations
    expect(before).toEqual({ de: { slug: '/über-uns', title: 'Über uns' }, fr: { title: 'À propos' } })
    expect((await change({ 'de-AT': { title: 'Mia' } })).body.translations).toEqual({
      ...before,
      'de-AT': { title: 'Mia' },
    })
    expect(await shown('/about', '&locale=de-AT')).toEqual(['Mia', '/über-uns', 'Wir'])
    expect((await change({ 'de-AT': null })).body.translations).toEqual(before)
    expect((await change({ fr: { title: null } })).body.translations).toEqual({ de: before.de })
    expect((await change({ fr: { title: 'À propos' } })).body.translations).toEqual(before)
    const record = await route()
    const back = await api('PUT', `/routes/?q=${about.route_id}`, record)
    expect(back.body.translations).toEqual(before)
    const listed = (await api('GET', '/routes?slug=/about')).body
    expect(listed[0].translations).toEqual(before)
  })

  it('shows in the very next answer, also while edits are pending, and leaves nothing under the old slug', async () => {
    await api('PUT', `/content?q=${about.id}`, { fields: { text: 'Anders' }, locale: 'de' })
    expect(await shown('/über-uns')).toEqual(inGerman)
    await app.services.settle()
    const audits = (await app.audits()).length
    expect((await change({ de: { slug: '/wir', title: 'Wir' } })).status).toBe(200)
    expect((await app.audits()).length).toBe(audits + 1)
    expect(await shown('/über-uns')).toBe(404)
    expect(await shown('/wir')).toEqual(['Wir', '/wir', 'Wir'])
    expect((await get('/linking?format=strapi&locale=de')).body.data.see.slug).toBe('/wir')
    await change({ de: { slug: '/über-uns', title: 'Über uns' } })
    expect(await shown('/wir')).toBe(404)
    expect(await shown('/über-uns')).toEqual(inGerman)
    await api('POST', '/content/discard', { content_data_id: about.id })
  })

  it('is announced with every address, the old ones too', async () => {
    await app.subscribe(['content.updated'])
    const told = async () => JSON.parse((await app.deliveries()).at(-1)?.payload ?? '{}').data
    await change({ de: { slug: '/wir' } })
    expect(await told()).toMatchObject({ slug: '/about', slugs: ['/about', '/linking', '/wir', '/über-uns'] })
    const before = (await app.deliveries()).length
    await change({ de: { slug: '/wir' } })
    expect((await app.deliveries()).length).toBe(before)
    await change({ de: { slug: '/über-uns' } })
    await api('PUT', `/content?q=${linking.id}`, { fields: { text: 'Other' } })
    await api('POST', '/content/publish', { content_data_id: about.id })
    const tags = (await get('/über-uns?format=clean')).headers.get('surrogate-key')
    expect(tags).toBe(`${about.route_id} ${about.id} pages`)
  })
})

describe('slugs', () => {
  it('are of one page and locale only', async () => {
    const refused = async (answer: ReturnType<typeof api>) => {
      const { status, body } = await answer
      return [status, body.code, body.member]
    }
    const create = (body: object) => api('POST', '/routes', { title: 'x', ...body })
    expect(await refused(create({ slug: '/über-uns' }))).toEqual([409, 'duplicate', 'slug'])
    expect(await refused(create({ slug: '/about' }))).toEqual([409, 'duplicate', 'slug'])
    const german = { translations: { de: { slug: '/about' } } }
    const member = 'translations.de.slug'
    expect(await refused(create({ slug: '/x', ...german }))).toEqual([409, 'duplicate', member])
    expect(await refused(create({ slug: '/x', translations: { de: { slug: '/über-uns' } } }))).toEqual([
      409,
      'duplicate',
      member,
    ])
    expect(await refused(create({ slug: '/x', translations: { de: { slug: '/x' } } }))).toEqual([
      409,
      'duplicate',
      member,
    ])
    expect(await refused(change({ fr: { slug: '/über-uns' } }))).toEqual([
      409,
      'duplicate',
      'translations.fr.slug',
    ])
    expect(await refused(api('PUT', `/routes/?q=${about.route_id}`, { slug: '/über-uns' }))).toEqual([
      409,
      'duplicate',
      member,
    ])
    for (const [translations, named] of [
      [{ es: { title: 'x' } }, 'translations.es'],
      [{ de: { slug: '/api/x' } }, 'translations.de.slug'],
      [{ de: { title: '' } }, 'translations.de.title'],
      [{ de: { name: 'x' } }, 'translations.de'],
      [{ d_e: { title: 'x' } }, 'translations.d_e'],
      ['x', 'translations'],
    ] as const)
      expect([named, await refused(create({ slug: '/x', translations }))]).toEqual([
        named,
        [400, 'invalid', named],
      ])
    expect(await db.exists(tables.routes, { slug: '/x' })).toBe(false)
  })

  it('stay one page’s when many ask for the same at once', async () => {
    const routes = await Promise.all(['/r1', '/r2', '/r3'].map(slug => post('/routes', { slug, title: 'x' })))
    const answers = await Promise.all([
      ...routes.map(({ route_id }) => change({ de: { slug: '/gleich' } }, route_id)),
      ...routes.map(() => api('POST', '/routes', { slug: '/gleich', title: 'x' })),
    ])
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(5)
  })

  it('hold up no page that has none: others are made while one is being made', async () => {
    await whileMade({ slug: '/slow', title: 'x' }, async () => {
      // SQLite has one writer at a time.
      const made = await Promise.all(
        Array.from({ length: engine === 'sqlite' ? 0 : 5 }, (_, i) =>
          api('POST', '/routes', { slug: `/quick-${i}`, title: 'x' }),
        ),
      )
      expect(new Set(made.map(({ status }) => status))).toEqual(new Set(made.length > 0 ? [201] : []))
    })
    expect(await db.exists(tables.routes, { slug: '/slow' })).toBe(true)
  })

  it('are never those of a page that is being made', async () => {
    const { route_id } = await post('/routes', { slug: '/waits', title: 'x' })
    const { asked } = await whileMade({ slug: '/early', title: 'x' }, async () => ({
      asked: change({ de: { slug: '/early' } }, route_id),
    }))
    expect((await asked).status).toBe(409)
    const translated = { slug: '/first', title: 'x', translations: { de: { slug: '/zuerst' } } }
    const { late } = await whileMade(translated, async () => ({
      late: api('POST', '/routes', { slug: '/zuerst', title: 'x' }),
    }))
    expect((await late).status).toBe(409)
  })

  it('go with their route, and keep their locale', async () => {
    const { route_id } = await post('/routes', {
      slug: '/away',
      title: 'x',
      translations: { fr: { slug: '/loin' } },
    })
    const french = (await api('GET', '/locales?code=fr')).body[0]
    expect((await api('DELETE', `/locales/?q=${french.locale_id}`)).status).toBe(409)
    expect((await api('DELETE', `/routes/?q=${route_id}`)).status).toBe(204)
    expect(await db.exists(tables.routeTranslations, { slug: '/loin' })).toBe(false)
    await post('/routes', { slug: '/loin', title: 'x' })
  })
})

it('shows nobody an address or title in a locale that is not enabled', async () => {
  const set = (is_enabled: boolean) => api('PUT', `/locales/?q=${german.locale_id}`, { is_enabled })
  expect(await shown('/über-uns')).not.toBe(404)
  await set(false)
  expect(await shown('/über-uns')).toBe(404)
  expect((await get('/api/v1/page/über-uns?format=clean', 'viewer')).status).toBe(404)
  expect((await shown('/about', '&locale=de')).toString()).toContain('About')
  expect((await get('/about?format=raw')).body.route.translations).toEqual({ fr: { title: 'À propos' } })
  await set(true)
  expect((await shown('/über-uns')).toString()).toContain('Über uns')
  const off = await testApp()
  await off.call('POST', '/api/v1/locales', { body: { code: 'de', label: 'x' } })
  const made = await off.call('POST', '/api/v1/routes', {
    body: { slug: '/a', title: 'A', translations: { de: { slug: '/b', title: 'B' } } },
  })
  const { body: kind } = await off.call('POST', '/api/v1/datatypes', {
    body: { label: 'x', type: 'content' },
  })
  await off.call('POST', '/api/v1/content', {
    body: { datatype_id: kind.datatype_id, route_id: made.body.route_id, status: 'published' },
  })
  const open = (path: string) => off.call('GET', path, { as: 'nobody' })
  expect((await open('/b?format=clean')).status).toBe(404)
  expect((await open('/a?format=raw')).body.route.translations).toEqual({})
})

it('is the same in the admin space', async () => {
  const { body: made } = await api('POST', '/admin/routes', {
    slug: '/about',
    title: 'x',
    translations: { de: { slug: '/über-uns', title: 'Y' } },
  })
  const { body: kind } = await api('POST', '/admin/datatypes', { label: 'Page', type: 'content' })
  await api('POST', '/admin/content', { datatype_id: kind.datatype_id, route_id: made.route_id })
  const { body } = await api('GET', encodeURI('/admin/tree/über-uns?format=clean'))
  expect([body.title, body.slug]).toEqual(['Y', '/über-uns'])
})

it('costs no statement more than other pages: three', async () => {
  const lean = await testApp({ i18n_enabled: true, page_cache_bytes: 0 })
  const make = async (path: string, body: object) =>
    (await lean.call('POST', `/api/v1${path}`, { body })).body
  await make('/locales', { code: 'de', label: 'x' })
  const kind = await make('/datatypes', { label: 'x', type: 'content' })
  const { route_id } = await make('/routes', {
    slug: '/a',
    title: 'A',
    translations: { de: { slug: '/b', title: 'B' } },
  })
  await make('/content', { datatype_id: kind.datatype_id, route_id, status: 'published' })
  const query = lean.db.query.bind(lean.db)
  let statements = 0
  lean.db.query = (what, values) => {
    statements++
    return query(what, values)
  }
  const visit = async (path: string) => {
    statements = 0
    const { body } = await lean.call('GET', path, { as: 'nobody' })
    await lean.services.settle()
    return [body.title, statements]
  }
  for (const [path, title] of [
    ['/a?format=clean', 'A'],
    ['/b?format=clean', 'B'],
    ['/a?format=clean&locale=de', 'B'],
  ] as const) {
    expect([path, await visit(path)]).toEqual([path, [title, 3]])
  }
  expect(await visit('/a?format=clean&locale=de-CH')).toEqual(['B', 3])
})
