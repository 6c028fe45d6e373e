import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Answered, callerOf, made } from '../support/calls.js'
import { engine, freshDatabase } from '../support/database.js'
import { type Product, startProduct } from '../support/process.js'

/** Each is in the texts of one kind of draft. */
const textMarks = ['page', 'child', 'pending', 'target', 'global', 'locale', 'unpublished', 'planned'].map(
  kind => `zz${kind}draft`,
)
const markOf = (kind: string) => `zz${kind}draft`
const formats = ['clean', 'raw', 'contentful', 'sanity', 'strapi', 'wordpress']
const locales = ['', 'en', 'de', 'de-AT', 'fr', '*']

interface Site {
  /** Of everything there is, by the member that names it, such as `content_data_id`. */
  ids: Map<string, Set<string>>
  slugs: string[]
  /** What no draft may show: its texts and its id. */
  marks: readonly string[]
}

type Call = Awaited<ReturnType<typeof callerOf>>

/** Drafts of every kind, beside published content. */
async function siteOf(call: Call): Promise<Site> {
  const post = (path: string, body: object) => made(call('POST', path, body))
  const type = await post('/datatypes', { label: 'Page', type: 'content' })
  const menu = await post('/datatypes', { label: 'Menu', type: '_global' })
  const field = (parent_id: string, label: string, field_type: string, more: object = {}) =>
    post('/fields', { label, field_type, parent_id, ...more })
  const text = await field(type.datatype_id, 'Text', 'text')
  const words = await field(type.datatype_id, 'Words', 'text', { translatable: true })
  await field(type.datatype_id, 'See', 'relation')
  await field(menu.datatype_id, 'Text', 'text')
  for (const code of ['de', 'fr']) await post('/locales', { code, label: code, is_enabled: code !== 'fr' })

  const slugs: string[] = []
  const page = async (slug: string, status: string, fields: object) => {
    slugs.push(slug)
    const { route_id } = await post('/routes', { slug, title: `Title of ${slug}` })
    return post('/content', { datatype_id: type.datatype_id, route_id, status, fields })
  }
  const hidden = await page('/hidden', 'draft', { text: markOf('page') })
  const target = await page('/target', 'draft', { text: markOf('target') })
  const home = await page('/', 'published', { text: 'shown', see: target.content_data_id })
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
  for (const path of ['/routes', '/datatypes', '/fields', '/content', '/content-fields', '/content/versions'])
    for (const record of await made(call('GET', path)))
      for (const [name, id] of Object.entries(record))
        if (name.endsWith('_id') && typeof id === 'string')
          ids.set(name, (ids.get(name) ?? new Set()).add(id))
  const drafts = [hidden, target, child, taken, planned, global]
  return { ids, slugs, marks: [...textMarks, ...drafts.map(({ content_data_id }) => content_data_id)] }
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

/** The lists of docs/security.md that show drafts to whoever has content:read. */
const documented = [...readFileSync('docs/security.md', 'utf8').matchAll(/^- `(\/api\/v1\/[\w-]+)`$/gm)].map(
  ([, path]) => path,
)

describe.runIf(engine === 'sqlite')('in production', () => {
  it('every GET of the document is asked by strangers, and shows drafts where docs/security.md says so', async () => {
    const { address, drop } = await freshDatabase()
    onTestFinished(drop)
    const product = await startProduct(address, {
      config: {
        environment: 'production',
        tls: 'off',
        registration_enabled: true,
        i18n_enabled: true,
        publish_mode: 'staged',
      },
    })
    const call = await callerOf(product)
    const site = await siteOf(call)
    const document: Answered = await call('GET', '/openapi.json')

    // An editor's eyes find each mark, so the marks are there to be found.
    const cookie = await product.login()
    const toEditor = await shownTo(product, document.body, site, { Cookie: cookie })
    expect(new Set(Object.values(toEditor.shown).flat())).toEqual(new Set(site.marks))
    expect(toEditor.shown['/api/v1/page/{slug}']?.length).toBeGreaterThan(4)
    expect(toEditor.shown['/']).toBeUndefined()

    const toNobody = await shownTo(product, document.body, site, {})
    expect(toNobody.shown).toEqual({})
    expect(toNobody.answered).toBeGreaterThan(30)

    const toStranger = await shownTo(product, document.body, site, { Cookie: await registered(product) })
    // One record has a path of its own beside the list.
    const lists = Object.keys(toStranger.shown).map(path => path.replace(/\/\{\w+\}$/, ''))
    expect([...new Set(lists)].sort()).toEqual(documented)
    expect(toStranger.asked).toBeGreaterThan(1000)
  })
})
