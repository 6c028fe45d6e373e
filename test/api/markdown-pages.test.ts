import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { leavesIn } from '../support/read-markdown.js'

const app = await testApp({
  i18n_enabled: true,
  client_site: 'https://site.example',
  output_format: 'clean',
  app_secret: 's'.repeat(40),
})
const { call } = app
const make = factories(app)
const done = async (method: string, path: string, body?: unknown) => {
  const answer = await call(method, `/api/v1${path}`, body === undefined ? {} : { body })
  expect([path, answer.status, answer.text]).toEqual([path, expect.toSatisfy(n => n < 300), answer.text])
  return answer.body
}
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  call(method, path, { as: 'nobody', headers })
const wanted = { Accept: 'text/markdown' }

await done('POST', '/locales', { code: 'de', label: 'Deutsch' })
const { datatype_id: type } = await make.datatype('Page')
await make.field(type, 'Title', 'text')
await make.field(type, 'Text', 'richtext', { translatable: true })
await make.field(type, 'Note', 'textarea')
await make.field(type, 'Link | x', 'url')
await make.field(type, 'Mail', 'email')
await make.field(type, 'Price', 'number')
await make.field(type, 'See', 'relation', { data: { cardinality: 'many' } })
await make.field(type, 'Data', 'json')
const page = async (route: object, fields: object = {}, more: object = {}) => {
  const { route_id } = await done('POST', '/routes', route)
  return { route_id, ...(await make.entry(type, { route_id }, { status: 'published', fields, ...more })) }
}
const secret = await make.datatype('Secret', { visibility: 'private' })
await make.field(secret.datatype_id, 'Title', 'text')

const title = '# x [a](javascript:alert(1)) <script>alert(1)</script> `c` | 🙂 שלום'
const about = await page({ slug: '/about', title: 'About: "us"', translations: { de: { title: 'Über' } } })
const draft = await page({ slug: '/draft', title: 'Draft' }, {}, { status: 'draft' })
const home = await page(
  { slug: '/', title },
  {
    text: '<h2>Hi</h2><p>One <strong>two</strong></p><ul><li>a</li></ul>',
    note: 'line one\nline two\n\n- three',
    linkX: 'https://a.example/b_c',
    mail: 'a@b.example',
    price: 12.5,
    see: [about.content_data_id, draft.content_data_id],
    data: '{"a":1}',
  },
)
await make.entry(
  type,
  { parent_id: home.content_data_id },
  { status: 'published', fields: { title: 'Block\n# y', price: 1 } },
)
await make.entry(type, { parent_id: home.content_data_id }, { status: 'published', fields: { price: 2 } })
await make.entry(
  type,
  { parent_id: home.content_data_id },
  { status: 'draft', fields: { title: 'Draft block' } },
)
await make.entry(
  secret.datatype_id,
  { parent_id: home.content_data_id },
  { status: 'published', fields: { title: 'Private block' } },
)

it('writes a page with its blocks, and nothing that the public does not see', async () => {
  const { status, headers, text } = await get('/?format=markdown')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
  const [, front = '', body = ''] = /^---\n([\s\S]*?)\n---\n\n([\s\S]*)$/.exec(text) ?? []
  expect(parse(front)).toEqual({
    title,
    url: 'https://site.example/',
    locale: 'en',
    published: expect.stringMatching(/^2026-/),
    modified: expect.stringMatching(/^2026-/),
  })
  const leaf = (path: string, text: string, links: string[] = []) => ({ path, text, links })
  expect(leavesIn(body)).toEqual([
    leaf('h1', title),
    leaf('h2', 'Hi'),
    leaf('p', 'One two'),
    leaf('->p', 'a'),
    leaf('p', 'line one\nline two'),
    leaf('p', '- three'),
    leaf('->p', 'Link | x: https://a.example/b_c'),
    leaf('->p', 'Mail: a@b.example'),
    leaf('->p', 'Price: 12.5'),
    leaf('->p', 'See: About: "us"', ['About: "us">https://site.example/about']),
    leaf('->p', 'Data: {"a":1}'),
    leaf('h2', 'Block # y'),
    leaf('->p', 'Price: 1'),
    leaf('h2', 'Page'),
    leaf('->p', 'Price: 2'),
  ])
  expect(text).not.toMatch(/Draft|Private/)
})

it('answers a header that asks for it, and every other one as before', async () => {
  const named = await get('/?format=markdown')
  const asked = await get('/', wanted)
  expect([asked.status, asked.text]).toEqual([200, named.text])
  const plain = await get('/')
  expect(plain.headers.get('content-type')).toBe('application/json')
  const long = `text/markdown, ${'a/b;q=0.1, '.repeat(700)}`
  for (const Accept of [
    '*/*',
    'text/*',
    'text/html',
    'text/markdown;q=0',
    'application/json, text/markdown',
    long,
  ])
    expect([Accept, (await get('/', { Accept })).text]).toEqual([Accept, plain.text])
  // A format in the address wins.
  expect((await get('/?format=raw', wanted)).body.route.title).toBe(title)
  expect((await get('/?format=html', wanted)).body.error).toContain('wordpress, markdown')
})

it('tells caches which answers differ, and lets no shared one store what a header asked for', async () => {
  const shared = 'public, max-age=0, stale-while-revalidate=30, stale-if-error=86400'
  const seen = async (path: string, headers = {}) => {
    const answer = await get(path, headers)
    return ['vary', 'cache-control', 'link', 'x-robots-tag'].map(name => answer.headers.get(name))
  }
  const link = '<https://site.example/>; rel="canonical"'
  expect(await seen('/')).toEqual(['Accept', shared, null, null])
  expect(await seen('/', wanted)).toEqual(['Accept', 'private, no-cache', link, null])
  expect(await seen('/?format=markdown')).toEqual([null, shared, link, null])
  expect(await seen('/?format=clean')).toEqual([null, shared, null, null])
  const keys = async (path: string, headers = {}) => (await get(path, headers)).headers.get('surrogate-key')
  expect([await keys('/', wanted), await keys('/?format=markdown')]).toEqual([null, await keys('/')])
})

it('is revalidated, answers HEAD, and shows the next change', async () => {
  for (const [path, headers] of [
    ['/about', wanted],
    ['/about?format=markdown', {}],
  ] as const) {
    const { headers: given, text } = await get(path, headers)
    const tag = given.get('etag') ?? ''
    const again = await get(path, { ...headers, 'If-None-Match': tag })
    expect([again.status, again.text]).toEqual([304, ''])
    const head = await get(path, headers, 'HEAD')
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([
      200,
      '',
      String(new TextEncoder().encode(text).length),
    ])
    // Not the tag of the JSON at this address.
    expect((await get('/about', { 'If-None-Match': tag, Accept: 'application/json' })).status).toBe(200)
    await done('PUT', `/content?q=${about.content_data_id}`, { fields: { note: `now ${path}` } })
    expect((await get(path, headers)).text).toContain(`now ${path}`)
  }
})

it('has the locale that is asked for, or its fallback', async () => {
  await done('PUT', `/content?q=${about.content_data_id}`, {
    locale: 'de',
    fields: { text: '<p>Hallo</p>' },
  })
  const { text } = await get('/about?format=markdown&locale=de-AT')
  expect(text).toMatch(/title: "Über"[\s\S]*locale: "de"[\s\S]*# Über[\s\S]*Hallo/)
  expect((await get('/about?locale=de', wanted)).text).toBe(text)
  expect((await get('/about?format=markdown&locale=*')).status).toBe(400)
  expect((await get('/about?format=markdown&expand=see')).status).toBe(400)
})

it('refuses as every format does', async () => {
  for (const path of ['/missing', '/draft']) {
    const { status, body } = await get(path, wanted)
    expect([path, status, body.code]).toEqual([path, 404, 'not_found'])
  }
  expect((await get('/api/v1/page/about?format=markdown')).status).toBe(403)
  expect((await get('/about', wanted, 'POST')).status).toBe(405)
})

it('redirects as before', async () => {
  const old = await page({ slug: '/old', title: 'Old' })
  await done('PUT', `/routes?q=${old.route_id}`, { slug: '/new' })
  const { status, headers } = await get('/old?format=markdown', wanted)
  expect([status, headers.get('location')]).toEqual([308, '/new?format=markdown'])
})

it('shows drafts to those who work on them, in the API and by a preview link', async () => {
  const own = await call('GET', '/api/v1/page/draft', { headers: wanted })
  expect([own.status, own.headers.get('cache-control'), own.text]).toEqual([
    200,
    'private, no-cache',
    expect.stringContaining('status: "draft"'),
  ])
  expect(own.headers.get('vary')).toContain('Accept')
  const { token } = await done('POST', '/content/preview-links', {
    content_data_id: draft.content_data_id,
    expires_in: '1h',
  })
  const preview = await get(`/api/v1/preview?token=${token}`, wanted)
  expect([preview.status, preview.headers.get('x-robots-tag')]).toEqual([200, 'noindex'])
  expect(preview.text).toContain('# Draft')
})

it('writes trees without an address one after another', async () => {
  const menu = await make.datatype('Menu', { type: '_global' })
  await make.field(menu.datatype_id, 'Label', 'text')
  await make.entry(menu.datatype_id, {}, { status: 'published', fields: { label: 'One' } })
  await make.entry(menu.datatype_id, {}, { status: 'published', fields: { label: 'Two' } })
  const { text, headers } = await call('GET', '/api/v1/globals/menu?format=markdown')
  expect([text, headers.get('content-type')]).toEqual(['# One\n\n# Two\n', 'text/markdown; charset=utf-8'])
})
