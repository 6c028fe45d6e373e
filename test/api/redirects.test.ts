import { afterEach, describe, expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { formatNames } from '../../src/services/delivery/formats/index.js'
import { type Caller, testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp({ i18n_enabled: true })
const { call, db } = app
const make = factories(app)
const api = (method: string, path: string, body?: unknown, as: Caller = 'admin') =>
  call(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) })
const done = async (method: string, path: string, body?: unknown) => {
  const answer = await api(method, path, body)
  expect([path, answer.status, answer.text]).toEqual([path, expect.toSatisfy(n => n < 300), answer.text])
  return answer.body
}

await done('POST', '/locales', { code: 'de', label: 'Deutsch' })
const { datatype_id: type } = await make.datatype('Page')
await make.field(type, 'Text', 'text')
let pages = 0
/** A page on a slug of its own, published unless the status says otherwise. */
async function page(more: object = {}, status = 'published') {
  const slug = `/page-${++pages}`
  const { route_id } = await done('POST', '/routes', { slug, title: slug, ...more })
  const { content_data_id: id } = await make.entry(type, { route_id }, { status })
  return { slug, route_id: route_id as string, id: id as string }
}
const rename = (id: string, change: object) => done('PUT', `/routes/?q=${id}`, change)
const redirect = (body: object) => done('POST', '/redirects', body)
const all = () => db.findAll(tables.redirects)
const get = (path: string, as: Caller = 'nobody', method = 'GET') => call(method, encodeURI(path), { as })
/** Where an address leads: its location, or its status without one. */
const leads = async (path: string, as?: Caller) => {
  const { status, headers } = await get(path, as)
  return headers.get('location') ?? status
}

const query = db.query
afterEach(() => {
  db.query = query
})

describe('a changed slug', () => {
  it('leaves a redirect, in every format, for HEAD, with the query', async () => {
    const { slug, route_id } = await page()
    await rename(route_id, { slug: '/neu/ümlaut' })
    for (const format of formatNames)
      expect(await leads(`${slug}?format=${format}&a=%C3%BC`)).toBe(
        `/neu/%C3%BCmlaut?format=${format}&a=%25C3%25BC`,
      )
    for (const method of ['GET', 'HEAD']) {
      const { status, text, headers } = await get(slug, 'nobody', method)
      expect([status, text, headers.get('location')]).toEqual([308, '', '/neu/%C3%BCmlaut'])
      expect(headers.get('cache-control')).toBe(
        'public, max-age=0, stale-while-revalidate=30, stale-if-error=86400',
      )
      expect(headers.get('surrogate-key')).toContain(route_id)
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
    expect((await get('/neu/ümlaut')).status).toBe(200)
    const own = await get(`/api/v1/page${slug}?format=raw`, 'viewer')
    expect([own.status, own.headers.get('location')]).toEqual([
      308,
      '/api/v1/page/neu/%C3%BCmlaut?format=raw',
    ])
    expect(own.headers.get('cache-control')).toBe('private, no-cache')
  })

  it('leads to the present slug after any number of changes, and never to itself', async () => {
    const { slug, route_id } = await page()
    for (const next of ['/b', '/c', '/d']) await rename(route_id, { slug: slug + next })
    for (const old of ['', '/b', '/c']) expect(await leads(slug + old)).toBe(`${slug}/d`)
    await rename(route_id, { slug })
    expect(await leads(slug)).toBe(200)
    for (const old of ['/b', '/c', '/d']) expect(await leads(slug + old)).toBe(slug)
    expect(await db.find(tables.redirects, { slug })).toBeUndefined()
  })

  it('of a translation leads to the address in that locale, where it has one', async () => {
    const { slug, route_id } = await page({ translations: { de: { slug: '/alt' } } })
    await rename(route_id, { slug: `${slug}-new`, translations: { de: { slug: '/neu' } } })
    expect(await leads('/alt')).toBe('/neu')
    expect(await leads(slug)).toBe(`${slug}-new`)
    const [de] = (await api('GET', '/locales')).body.filter(({ code }: { code: string }) => code === 'de')
    await done('PUT', `/locales?q=${de.locale_id}`, { is_enabled: false })
    expect(await leads('/alt')).toBe(`${slug}-new`)
    await done('PUT', `/locales?q=${de.locale_id}`, { is_enabled: true })
    await rename(route_id, { translations: { de: null } })
    expect(await leads('/neu')).toBe(`${slug}-new`)
  })

  it('of what was never public leaves none, and no redirect tells of what is not public now', async () => {
    const draft = await page({}, 'draft')
    await rename(draft.route_id, { slug: `${draft.slug}-secret` })
    expect(await db.find(tables.redirects, { slug: draft.slug })).toBeUndefined()
    const known = await page()
    await rename(known.route_id, { slug: `${known.slug}-new` })
    await done('POST', '/content/unpublish', { content_data_id: known.id })
    await rename(known.route_id, { slug: `${known.slug}-secret` })
    for (const slug of [known.slug, `${known.slug}-new`]) {
      expect(await leads(slug)).toBe(404)
      expect(await leads(`/api/v1/page${slug}`, 'editor')).toBe(`/api/v1/page${known.slug}-secret`)
    }
    await done('POST', '/content/publish', { content_data_id: known.id })
    expect(await leads(known.slug)).toBe(`${known.slug}-secret`)
  })

  it('is left in the same transaction, with its author and audit event', async () => {
    const { slug, route_id } = await page()
    const before = (await app.audits()).length
    await api('PUT', `/routes/?q=${route_id}`, { slug: `${slug}-new` }, 'editor')
    const [row] = (await all()).filter(one => one.slug === slug)
    expect(row).toMatchObject({
      slug,
      target: null,
      route_id,
      locale: '',
      status: 308,
      is_automatic: true,
      author_id: app.users.editor,
    })
    expect((await app.audits()).slice(before).map(one => `${one.operation} ${one.table_name}`)).toEqual(
      expect.arrayContaining(['INSERT redirects', 'UPDATE routes']),
    )
    const taken = await page()
    const refused = await api('PUT', `/routes/?q=${taken.route_id}`, { slug: `${slug}-new` })
    expect(refused.status).toBe(409)
    expect(await db.find(tables.redirects, { slug: taken.slug })).toBeUndefined()
  })

  it('costs pages nothing, and what there is not one statement', async () => {
    const { slug, route_id } = await page()
    await rename(route_id, { slug: `${slug}-new` })
    const visit = async (path: string) => {
      let n = 0
      db.query = (what, values) => {
        n++
        return query.call(db, what, values) as never
      }
      const { status } = await get(path)
      db.query = query
      return [status, n]
    }
    const [, first] = await visit(`${slug}-new?format=clean`)
    expect(first).toBeLessThanOrEqual(3)
    expect(await visit(`${slug}-new?format=clean`)).toEqual([200, 0])
    expect(await visit(slug)).toEqual([308, 2])
    expect(await visit('/nowhere')).toEqual([404, 2])
  })
})

describe('a page that goes elsewhere', () => {
  it('leaves a redirect to the route that its tree is moved to, or is under now', async () => {
    const [one, other] = [await page({ translations: { de: { slug: '/umzug' } } }), await page()]
    const { route_id } = await done('POST', '/routes', { slug: '/moved', title: 'Moved' })
    await done('PUT', `/content?q=${one.id}`, { route_id })
    expect([await leads(one.slug), await leads('/umzug')]).toEqual(['/moved', '/moved'])
    await done('PUT', `/content?q=${one.id}`, { parent_id: other.id })
    expect(await leads('/moved')).toBe(other.slug)
    expect((await get(other.slug)).status).toBe(200)
  })

  it('takes redirects along when its route is deleted, to where its own address leads', async () => {
    const [gone, kept, heir] = [await page(), await page(), await page()]
    const [oldGone, oldKept] = [gone.slug, kept.slug]
    await rename(gone.route_id, { slug: `${gone.slug}-new` })
    await rename(kept.route_id, { slug: `${kept.slug}-new` })
    await redirect({ slug: `${kept.slug}-new`, target: heir.slug })
    // The page still goes before it.
    expect(await leads(`${kept.slug}-new`)).toBe(200)
    for (const { route_id } of [gone, kept])
      expect((await api('DELETE', `/routes/?q=${route_id}&recursive=true`)).status).toBe(204)
    expect([await leads(oldGone), await leads(`${oldGone}-new`)]).toEqual([404, 404])
    expect([await leads(oldKept), await leads(`${oldKept}-new`)]).toEqual([heir.slug, heir.slug])
    expect(await db.find(tables.redirects, { slug: oldGone })).toBeUndefined()
  })

  it('lets an empty route go with the redirects to it, and refuses while content is on it', async () => {
    const { route_id } = await done('POST', '/routes', { slug: '/empty', title: 'Empty' })
    await redirect({ slug: '/to-empty', route_id })
    expect(await leads('/to-empty')).toBe(404)
    expect((await api('DELETE', `/routes/?q=${route_id}`)).status).toBe(204)
    expect(await db.find(tables.redirects, { slug: '/to-empty' })).toBeUndefined()
    const full = await page()
    await redirect({ slug: '/to-full', route_id: full.route_id })
    expect((await api('DELETE', `/routes/?q=${full.route_id}`)).status).toBe(409)
    expect(await leads('/to-full')).toBe(full.slug)
  })

  it('wins its address back: a page on a redirected slug goes before the redirect', async () => {
    const { slug, route_id } = await page()
    await rename(route_id, { slug: `${slug}-new` })
    const { route_id: next } = await done('POST', '/routes', { slug, title: 'Next' })
    expect(await leads(slug)).toBe(`${slug}-new`)
    const entry = await make.entry(type, { route_id: next }, { status: 'published' })
    expect(await leads(slug)).toBe(200)
    await done('PUT', `/routes/?q=${next}`, { slug: `${slug}-other` })
    expect(await leads(slug)).toBe(`${slug}-other`)
    expect(entry.status).toBe('published')
  })
})

describe('/redirects', () => {
  it('is an ordinary resource', async () => {
    const { slug, route_id } = await page()
    const made = await redirect({ slug: 'old/', target: slug, status: 301 })
    // A target that is a page's is its route, so that it follows the page.
    expect(made).toMatchObject({ slug: '/old', target: null, route_id, locale: '', status: 301 })
    expect(made).toMatchObject({ is_automatic: false, author_id: app.users.admin })
    const { status, headers } = await get('/old?x=1')
    expect([status, headers.get('location')]).toEqual([301, `${slug}?x=1`])
    const id = made.redirect_id
    expect((await api('GET', `/redirects/${id}`)).body).toEqual(made)
    expect((await api('GET', `/redirects?route_id=${route_id}`)).body).toEqual([made])
    const path = await done('PUT', `/redirects?q=${id}`, { target: '/somewhere' })
    expect(path).toMatchObject({ target: '/somewhere', route_id: null })
    expect(await leads('/old')).toBe('/somewhere')
    await done('PUT', `/redirects?q=${id}`, { target: 'https://shop.example/?a=1#top' })
    expect(await leads('/old')).toBe('https://shop.example/?a=1#top')
    expect(await leads('/old?b=2')).toBe('https://shop.example/?a=1&b=2#top')
    await done('PUT', `/redirects?q=${id}`, { route_id })
    expect(await leads('/old')).toBe(slug)
    expect((await api('DELETE', `/redirects?q=${id}`)).status).toBe(204)
    expect(await leads('/old')).toBe(404)
  })

  it('follows a page in the locale of the slug that was given', async () => {
    const { route_id } = await page({ translations: { de: { slug: '/deutsch' } } })
    expect(await redirect({ slug: '/zu-deutsch', target: '/deutsch' })).toMatchObject({
      route_id,
      locale: 'de',
    })
    await rename(route_id, { translations: { de: { slug: '/deutsch-neu' } } })
    expect(await leads('/zu-deutsch')).toBe('/deutsch-neu')
  })

  it('leads to the end of a chain in one step, whatever was made first', async () => {
    await redirect({ slug: '/chain-a', target: '/chain-b' })
    await redirect({ slug: '/chain-b', target: '/chain-c' })
    await redirect({ slug: '/chain-0', target: '/chain-a' })
    for (const slug of ['/chain-0', '/chain-a', '/chain-b']) expect(await leads(slug)).toBe('/chain-c')
    const { slug, route_id } = await page()
    await redirect({ slug: '/chain-c', target: slug })
    await rename(route_id, { slug: `${slug}-end` })
    for (const from of ['/chain-0', '/chain-a', '/chain-b', '/chain-c'])
      expect(await leads(from)).toBe(`${slug}-end`)
  })

  it.each([
    ['itself', { slug: '/loop', target: '/loop' }, 'target'],
    ['a redirect that leads back', { slug: '/loop-b', target: '/loop-a' }, 'target'],
  ])('refuses to lead to %s', async (_, body, member) => {
    if (body.slug === '/loop-b') await redirect({ slug: '/loop-a', target: '/loop-b' })
    const { status, body: answer } = await api('POST', '/redirects', body)
    expect([status, answer.member, answer.error]).toEqual([
      400,
      member,
      expect.stringContaining('leads back'),
    ])
  })

  it('refuses to lead from a page to the page itself', async () => {
    const { slug, route_id } = await page()
    for (const to of [{ route_id }, { target: slug }])
      expect((await api('POST', '/redirects', { slug, ...to })).body.error).toContain('leads back')
  })

  it.each([
    [{ target: '/x' }, 'slug'],
    [{ slug: '/m' }, 'target'],
    [{ slug: '/m', target: '/x', route_id: '01JZ8M4Q7R6T5V3W2X1Y0ZABCD' }, 'target'],
    [{ slug: '/m', route_id: '01JZ8M4Q7R6T5V3W2X1Y0ZABCD' }, 'route_id'],
    [{ slug: '/m', target: 'x' }, 'target'],
    [{ slug: '/m', target: '/api/v1' }, 'target'],
    [{ slug: '/m', target: '//evil.example' }, undefined],
    [{ slug: '/m', target: 'javascript:alert(1)' }, 'target'],
    [{ slug: '/m', target: 'https://u:p@x.example/' }, 'target'],
    [{ slug: '/m', target: `/${'x'.repeat(600)}` }, 'target'],
    [{ slug: '/m', target: '/x\r\nSet-Cookie: a=b' }, 'target'],
    [{ slug: '/m', target: '/x', status: 302 }, 'status'],
    [{ slug: '/m', target: '/x', locale: 'no tag' }, 'locale'],
    [{ slug: '/admin', target: '/x' }, 'slug'],
    [{ slug: 7, target: '/x' }, 'slug'],
    [{ slug: '/m', target: '/x', to: 1 }, 'to'],
  ])('refuses %j', async (body, member) => {
    const { status, body: answer } = await api('POST', '/redirects', body)
    if (member === undefined) {
      // One slash is meant, and nothing else can be read out of it.
      expect([status, answer.target]).toEqual([201, '/evil.example'])
      await done('DELETE', `/redirects?q=${answer.redirect_id}`)
    } else expect([status, answer.member]).toEqual([400, member])
  })

  it('refuses a second redirect of a slug, and what there is not', async () => {
    await redirect({ slug: '/twice', target: '/x' })
    const again = await api('POST', '/redirects', { slug: '/twice', target: '/y' })
    expect([again.status, again.body.member]).toEqual([409, 'slug'])
    const none = '01JZ8M4Q7R6T5V3W2X1Y0ZABCD'
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect((await api(method, `/redirects?q=${none}`, method === 'PUT' ? {} : undefined)).status).toBe(404)
    expect((await api('POST', '/redirects', { slug: '/n', target: '/x' }, 'nobody')).status).toBe(403)
    expect((await api('POST', '/redirects', { slug: '/n', target: '/x' }, 'viewer')).status).toBe(403)
    expect((await api('GET', '/redirects', undefined, 'viewer')).status).toBe(200)
  })
})

describe('redirect_mode', () => {
  afterEach(async () => {
    await done('PUT', '/config', { redirect_mode: 'automatic' })
  })

  it('manual leaves none, and off answers none', async () => {
    const { slug, route_id } = await page()
    await done('PUT', '/config', { redirect_mode: 'manual' })
    await rename(route_id, { slug: `${slug}-new` })
    expect(await leads(slug)).toBe(404)
    await redirect({ slug, route_id })
    expect(await leads(slug)).toBe(`${slug}-new`)
    await done('PUT', '/config', { redirect_mode: 'off' })
    expect(await leads(slug)).toBe(404)
  })
})

it('is in the description of the API', async () => {
  const { paths } = (await api('GET', '/openapi.json')).body
  const { responses } = paths['/page/{slug}'].get
  for (const status of ['301', '308']) expect(responses[status].headers).toHaveProperty('Location')
  expect(paths['/admin/tree/{slug}'].get.responses).not.toHaveProperty('308')
})

it('the admin space has no redirects', async () => {
  const admin = async (path: string, body: object) => done('POST', `/admin${path}`, body)
  const { datatype_id } = await admin('/datatypes', { label: 'Page', type: 'content' })
  const { route_id } = await admin('/routes', { slug: '/admin-old', title: 'x' })
  await admin('/content', { datatype_id, route_id, status: 'published' })
  await done('PUT', `/admin/routes/?q=${route_id}`, { slug: '/admin-new' })
  expect(await db.find(tables.redirects, { slug: '/admin-old' })).toBeUndefined()
})
