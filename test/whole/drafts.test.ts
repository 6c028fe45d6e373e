import { describe, expect, it, onTestFinished } from 'vitest'
import { type Answered, callerOf, made } from '../support/calls.js'
import { engine, freshDatabase } from '../support/database.js'
import { type Product, startProduct } from '../support/process.js'
import { testStorage } from '../support/storage.js'

/** Each is in the texts of one kind of draft. */
const textMarks = [
  ...['page', 'child', 'pending', 'new', 'target', 'global', 'locale', 'unpublished', 'planned'],
  ...['address', 'translation', 'empty'],
].map(kind => `zz${kind}draft`)
const markOf = (kind: string) => `zz${kind}draft`
const formats = ['native', 'clean', 'raw', 'contentful', 'sanity', 'strapi', 'wordpress']
const locales = ['', 'en', 'de', 'de-AT', 'fr', '*']

interface Site {
  /** Of everything there is, by the member that names it, such as `content_data_id`. */
  ids: Map<string, Set<string>>
  slugs: string[]
  /** What no draft may show: its texts and its id, and those of its values. */
  marks: readonly string[]
  /** Ids of what is published. */
  published: readonly string[]
}

type Call = Awaited<ReturnType<typeof callerOf>>

/** Drafts of every kind, beside published content. */
async function siteOf(call: Call, mediaId: string): Promise<Site> {
  const post = (path: string, body: object) => made(call('POST', path, body))
  const type = await post('/datatypes', { label: 'Page', type: 'content' })
  const menu = await post('/datatypes', { label: 'Menu', type: '_global' })
  const field = (parent_id: string, label: string, field_type: string, more: object = {}) =>
    post('/fields', { label, field_type, parent_id, ...more })
  const text = await field(type.datatype_id, 'Text', 'text')
  const words = await field(type.datatype_id, 'Words', 'text', { translatable: true })
  await field(type.datatype_id, 'See', 'relation')
  await field(type.datatype_id, 'Picture', 'media')
  await field(menu.datatype_id, 'Text', 'text')
  for (const code of ['de', 'fr']) await post('/locales', { code, label: code, is_enabled: code !== 'fr' })

  const slugs: string[] = []
  const page = async (slug: string, status: string, fields: object) => {
    slugs.push(slug)
    const title = status === 'draft' ? markOf('address') : `Title of ${slug}`
    const { route_id } = await post('/routes', { slug, title })
    return post('/content', { datatype_id: type.datatype_id, route_id, status, fields })
  }
  await post('/routes', { slug: '/empty', title: markOf('empty') })
  const hidden = await page('/hidden', 'draft', { text: markOf('page'), picture: mediaId })
  const target = await page('/target', 'draft', { text: markOf('target') })
  const home = await page('/', 'published', { text: 'shown', see: target.content_data_id, picture: mediaId })
  await made(
    call('PUT', `/routes?q=${home.route_id}`, { translations: { fr: { title: markOf('translation') } } }),
  )
  const child = await post('/content', {
    datatype_id: type.datatype_id,
    parent_id: home.content_data_id,
    fields: { text: markOf('child') },
  })
  await post('/content-fields', {
    content_data_id: home.content_data_id,
    field_id: words.field_id,
    field_value: markOf('locale'),
    locale: 'fr',
  })
  const edited = await page('/edited', 'published', { text: 'was shown' })
  await post('/content/publish', { content_data_id: edited.content_data_id })
  const value = (await made(
    call('GET', `/content-fields?content_data_id=${edited.content_data_id}&field_id=${text.field_id}`),
  )) as { content_field_id: string }[]
  await made(
    call('PUT', `/content-fields/?q=${value[0]?.content_field_id}`, { field_value: markOf('pending') }),
  )
  const fresh = await post('/content', {
    datatype_id: type.datatype_id,
    parent_id: edited.content_data_id,
    status: 'published',
    fields: { text: markOf('new') },
  })
  const taken = await page('/taken', 'published', { text: markOf('unpublished') })
  await post('/content/unpublish', { content_data_id: taken.content_data_id })
  const planned = await page('/planned', 'draft', { text: markOf('planned') })
  await post('/content/schedule', {
    content_data_id: planned.content_data_id,
    publish_at: '2999-01-01T00:00:00.000Z',
  })
  const global = await post('/content', {
    datatype_id: menu.datatype_id,
    fields: { text: markOf('global') },
  })
  for (const { content_data_id } of [hidden, edited]) await post('/content/versions', { content_data_id })

  const ids = new Map<string, Set<string>>([['datatype_name', new Set(['menu', 'page'])]])
  for (const path of [
    '/routes',
    '/datatypes',
    '/fields',
    '/content',
    '/content-fields',
    '/content/versions',
    '/media',
  ])
    for (const record of await made(call('GET', path)))
      for (const [name, id] of Object.entries(record))
        if (name.endsWith('_id') && typeof id === 'string')
          ids.set(name, (ids.get(name) ?? new Set()).add(id))
  const drafts = [hidden, target, child, fresh, taken, planned, global].map(
    ({ content_data_id }) => content_data_id as string,
  )
  const values = (await made(call('GET', '/content-fields'))) as Record<string, string>[]
  const own = values.filter(value => drafts.includes(value.content_data_id ?? '') || value.locale === 'fr')
  return {
    ids,
    slugs,
    marks: [...textMarks, ...drafts, ...own.map(({ content_field_id = '' }) => content_field_id)],
    published: [home, edited].map(({ content_data_id }) => content_data_id),
  }
}

/** Every address of a path of the document: each id and slug in its place. */
function addressesOf(path: string, { ids, slugs }: Site): string[] {
  if (path.endsWith('/{slug}') || path.endsWith('/*'))
    return slugs.map(slug => path.replace(/\/(\{slug\}|\*)$/, slug))
  const name = /\{(\w+)\}/.exec(path)?.[1]
  if (!name) return [path]
  return [...(ids.get(name) ?? ['none'])].map(id => path.replace(`{${name}}`, id))
}

/** What an endpoint can be asked: each parameter of the document with the values that matter. */
function queriesOf(parameters: readonly { name: string; in: string }[], { ids }: Site): string[] {
  const names = parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name)
  const entries = [...(ids.get('content_data_id') ?? [])]
  const versions = [...(ids.get('content_version_id') ?? [])]
  const ofFormats = formats.flatMap(format => locales.map(locale => `format=${format}&locale=${locale}`))
  return [
    '',
    ...(names.includes('format') ? ofFormats.flatMap(one => [one, `${one}&status=published`]) : []),
    ...(names.includes('q') ? [...ids.values()].flatMap(some => [...some]).map(id => `q=${id}`) : []),
    ...(names.includes('status') ? ['status=draft'] : []),
    ...(names.includes('content_data_id') ? entries.map(id => `content_data_id=${id}`) : []),
    ...(names.includes('from') ? versions.map(id => `from=${id}&to=${id}`) : []),
  ]
}

interface Document {
  paths: Record<string, { get?: { parameters?: { name: string; in: string }[] } }>
}

/** The paths at which a caller is shown a draft, with the marks. */
async function shownTo(product: Product, document: Document, site: Site, headers: Record<string, string>) {
  const shown = new Map<string, Set<string>>()
  let [asked, answered] = [0, 0]
  const ask = async (path: string, address: string) => {
    asked++
    const answer = await fetch(`${product.url}${address}`, { headers, redirect: 'manual' })
    const whole = `${JSON.stringify([...answer.headers])}${await answer.text()}`
    if (answer.ok) answered++
    for (const mark of site.marks)
      if (whole.includes(mark)) shown.set(path, (shown.get(path) ?? new Set()).add(mark))
  }
  for (const [path, { get }] of Object.entries(document.paths)) {
    if (!get) continue
    const full = path.startsWith('/api/') ? path : `/api/v1${path}`
    for (const address of addressesOf(full, site))
      await Promise.all(queriesOf(get.parameters ?? [], site).map(query => ask(full, `${address}?${query}`)))
  }
  for (const mark of textMarks) await ask('/search', `/api/v1/search?q=${mark}&count=true`)
  for (const file of ['/sitemap.xml', '/robots.txt']) await ask(file, file)
  for (const slug of site.slugs)
    for (const format of formats)
      for (const locale of locales) await ask('/', `${slug}?format=${format}&locale=${locale}`)
  return { shown: Object.fromEntries([...shown].map(([path, some]) => [path, [...some]])), asked, answered }
}

async function registered({ url }: Product): Promise<string> {
  const send = (path: string, body: object) =>
    fetch(`${url}/api/v1/auth/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  const account = { email: 'stranger@example.com', password: 'a stranger is here' }
  expect((await send('register', account)).status).toBe(201)
  return (await send('login', account)).headers.get('set-cookie')?.split(';')[0] ?? ''
}

async function uploaded({ url }: Product, cookie: string): Promise<string> {
  const form = new FormData()
  form.set('file', new File(['some text'], 'some.txt', { type: 'text/plain' }))
  const answer = await fetch(`${url}/api/v1/media/upload`, {
    method: 'POST',
    headers: { Cookie: cookie, Origin: url },
    body: form,
  })
  expect(answer.status).toBe(201)
  return ((await answer.json()) as { media_id: string }).media_id
}

async function listsOf({ url }: Product, headers: Record<string, string>, query: string) {
  const get = (path: string) => fetch(`${url}/api/v1/${path}`, { headers })
  const [entries, values] = await Promise.all([get(`content?${query}`), get(`content-fields?${query}`)])
  return {
    total: [entries, values].map(({ headers }) => headers.get('x-total-count')),
    entries: (await entries.json()) as Record<string, unknown>[],
    values: (await values.json()) as Record<string, unknown>[],
  }
}

describe.runIf(engine === 'sqlite')('in production', async () => {
  const storage = await testStorage()

  async function started(config: Record<string, unknown> = {}) {
    const { address, drop } = await freshDatabase()
    onTestFinished(drop)
    const product = await startProduct(address, {
      config: {
        environment: 'production',
        tls: 'off',
        registration_enabled: true,
        i18n_enabled: true,
        publish_mode: 'staged',
        ...storage.config,
        ...config,
      },
    })
    const call = await callerOf(product)
    const site = await siteOf(call, await uploaded(product, await product.login()))
    return { product, call, site }
  }

  it('whoever only reads finds no draft by any GET of the document', async () => {
    const { product, call, site } = await started()
    // Before the others: every way to sign in is asked for, and they are limited together.
    const stranger = { Cookie: await registered(product) }
    const document: Answered = await call('GET', '/openapi.json')

    // An editor's eyes find each mark, so the marks are there to be found.
    const toEditor = await shownTo(product, document.body, site, { Cookie: await product.login() })
    expect(new Set(Object.values(toEditor.shown).flat())).toEqual(new Set(site.marks))
    expect(toEditor.shown['/api/v1/page/{slug}']?.length).toBeGreaterThan(4)
    expect(toEditor.shown['/']).toBeUndefined()

    const toNobody = await shownTo(product, document.body, site, {})
    expect(toNobody.shown).toEqual({})
    expect(toNobody.answered).toBeGreaterThan(30)

    const toStranger = await shownTo(product, document.body, site, stranger)
    expect(toStranger.shown).toEqual({})
    expect(toStranger.asked).toBeGreaterThan(1000)

    const readers = ['content', 'routes', 'media', 'datatypes', 'fields'].map(name => `${name}:read`)
    const { token } = await made(call('POST', '/tokens', { label: 'Reader', permissions: readers }))
    const toKey = await shownTo(product, document.body, site, { Authorization: `Bearer ${token}` })
    expect(toKey.shown).toEqual({})
    expect(toKey.answered).toBeGreaterThan(toStranger.answered)

    // What is published is there, as the public sees it.
    const all = await listsOf(product, stranger, '')
    expect(all.total).toEqual([String(site.published.length), String(all.values.length)])
    expect(all.entries.map(({ content_data_id }) => content_data_id)).toEqual([...site.published].sort())
    expect(all.values.map(({ field_value }) => field_value).sort()).toEqual([
      '',
      expect.stringMatching(/^\w{26}$/),
      'shown',
      'was shown',
    ])
    const none = await listsOf(product, stranger, 'limit=0')
    expect(none).toEqual({ total: all.total, entries: [], values: [] })
    const routes = await fetch(`${product.url}/api/v1/routes`, { headers: stranger })
    expect([routes.headers.get('x-total-count'), await routes.json()]).toMatchObject([
      '2',
      [{ slug: '/', translations: {} }, { slug: '/edited' }],
    ])
  })

  it('they see drafts where readers_see_drafts is true', async () => {
    const { product, call, site } = await started({ readers_see_drafts: true })
    const stranger = { Cookie: await registered(product) }
    const marksIn = async () => {
      const text = JSON.stringify(await listsOf(product, stranger, ''))
      return site.marks.filter(mark => text.includes(mark))
    }
    expect((await marksIn()).length).toBeGreaterThan(10)
    await made(call('PUT', '/config', { readers_see_drafts: false }))
    expect(await marksIn()).toEqual([])
  })
})
