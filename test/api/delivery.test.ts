import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { type TestApp, testApp } from '../support/app.js'

interface CleanPage {
  children: unknown[]
  [name: string]: unknown
}

const app: TestApp = await testApp()
const { call, db } = app
const api = async (method: string, path: string, body?: unknown) =>
  (await call(method, `/api/v1${path}`, body === undefined ? {} : { body })).body
const visit = (path: string, headers = {}) => call('GET', path, { as: 'nobody', headers })

const page = await api('POST', '/datatypes', { label: 'Page', type: 'content' })
const title = await api('POST', '/fields', {
  label: 'Headline',
  field_type: 'text',
  parent_id: page.datatype_id,
})
const home = await api('POST', '/routes', { slug: '/', title: 'Home' })
const root = await api('POST', '/content', {
  datatype_id: page.datatype_id,
  route_id: home.route_id,
  status: 'published',
  fields: { headline: 'Hi' },
})
const child = await api('POST', '/content', {
  datatype_id: page.datatype_id,
  parent_id: root.content_data_id,
  status: 'published',
  fields: { headline: 'There' },
})
const clean = async () => (await visit('/?format=clean')).body

it('shows a change in the very next answer, whatever changed', async () => {
  const changes: [
    what: string,
    change: () => Promise<unknown>,
    seen: (page: CleanPage) => unknown,
    is: unknown,
  ][] = [
    [
      'route title',
      () => api('PUT', `/routes?q=${home.route_id}`, { title: 'Start' }),
      page => page.title,
      'Start',
    ],
    [
      'datatype name',
      () => api('PUT', `/datatypes?q=${page.datatype_id}`, { name: 'sheet' }),
      page => page.type,
      'sheet',
    ],
    [
      'field name',
      () => api('PUT', `/fields?q=${title.field_id}`, { name: 'head' }),
      page => page.head,
      'Hi',
    ],
    [
      'value',
      () => api('PUT', `/content?q=${root.content_data_id}`, { fields: { head: 'Ho' } }),
      page => page.head,
      'Ho',
    ],
    [
      'child value',
      () => api('PUT', `/content?q=${child.content_data_id}`, { fields: { head: 'Here' } }),
      page => page.children,
      [{ type: 'sheet', head: 'Here' }],
    ],
    [
      'child status',
      () => api('PUT', `/content?q=${child.content_data_id}`, { status: 'draft' }),
      page => page.children,
      [],
    ],
    [
      'child status back',
      () => api('PUT', `/content?q=${child.content_data_id}`, { status: 'published' }),
      page => page.children.length,
      1,
    ],
    [
      'new child',
      () =>
        api('POST', '/content', {
          datatype_id: page.datatype_id,
          parent_id: root.content_data_id,
          status: 'published',
        }),
      page => page.children.length,
      2,
    ],
    [
      'order',
      () =>
        api('POST', '/content/move', {
          content_data_id: child.content_data_id,
          parent_id: root.content_data_id,
        }),
      page => page.children.at(-1),
      { type: 'sheet', head: 'Here' },
    ],
  ]
  for (const [what, change, seen, is] of changes) {
    const before = (await visit('/?format=clean')).headers.get('etag')
    expect(await clean()).toEqual(await clean())
    await change()
    expect([what, seen(await clean())]).toEqual([what, is])
    expect((await visit('/?format=clean')).headers.get('etag')).not.toBe(before)
  }
  await api('PUT', `/routes?q=${home.route_id}`, { slug: '/home' })
  expect([(await visit('/')).status, (await visit('/home')).status]).toEqual([308, 200])
  await api('PUT', `/routes?q=${home.route_id}`, { slug: '/' })
  await api('PUT', `/content?q=${root.content_data_id}`, { status: 'draft' })
  expect((await visit('/')).status).toBe(404)
  await api('PUT', `/content?q=${root.content_data_id}`, { status: 'published' })
  expect((await visit('/')).status).toBe(200)
})

it('is never stale while it is being changed', async () => {
  await api('PUT', `/content?q=${root.content_data_id}`, { fields: { head: '0' } })
  let latest = 0
  let stop = false
  const seen = new Set<number>()
  const reading = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!stop) {
        // Pages in memory are answered without I/O, which would leave the writer no turn.
        await new Promise(resolve => setImmediate(resolve))
        const acknowledged = latest
        const { head } = (await visit('/?format=clean')).body
        expect(Number(head)).toBeGreaterThanOrEqual(acknowledged)
        seen.add(Number(head))
      }
    }),
  )
  for (let i = 1; i <= 150; i++) {
    await api('PUT', `/content?q=${root.content_data_id}`, { fields: { head: String(i) } })
    latest = i
    // SQLite answers the writer without waiting: each write leaves the readers a turn.
    await new Promise(resolve => setImmediate(resolve))
  }
  stop = true
  await reading
  expect(seen.size).toBeGreaterThan(10)
})

it('costs three statements when built, one when kept, none when in memory, whatever the size', async () => {
  const statements: unknown[] = []
  const query = db.query.bind(db)
  db.query = (what, values) => {
    statements.push(what)
    return query(what, values)
  }
  for (const children of [0, 60]) {
    for (let i = 0; i < children; i++)
      await api('POST', '/content', {
        datatype_id: page.datatype_id,
        parent_id: root.content_data_id,
        status: 'published',
      })
    await api('PUT', `/fields?q=${title.field_id}`, { label: `Label ${children}` })
    statements.length = 0
    await visit('/?format=clean')
    expect(statements).toHaveLength(3)
    statements.length = 0
    await visit('/?format=clean')
    expect(statements).toEqual([])
  }
  db.query = query
})

it('answers 304 to who has it, HEAD without a body, and lets browsers of other origins read', async () => {
  const first = await visit('/?format=clean')
  const etag = first.headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'cache-control': 'public, max-age=0, stale-while-revalidate=30, stale-if-error=86400',
    'surrogate-key': `${home.route_id} ${root.content_data_id} pages`,
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
  })
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const again = await visit('/?format=clean', { 'If-None-Match': known })
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
  }
  expect((await visit('/?format=clean', { 'If-None-Match': '"x"' })).status).toBe(200)
  const head = await call('HEAD', '/?format=clean', { as: 'nobody' })
  expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag])
})

it('finds a slug in every spelling that means the same, and in no other', async () => {
  const route = await api('POST', '/routes', { slug: '/über/erste-seite', title: 'Nested' })
  await api('POST', '/content', {
    datatype_id: page.datatype_id,
    route_id: route.route_id,
    status: 'published',
  })
  for (const path of [
    '/über/erste-seite',
    '/%C3%BCber/erste-seite/',
    '/%c3%bcber%2Ferste-seite',
    '/u\u0308ber/erste-seite',
  ])
    expect([path, (await visit(path)).status]).toEqual([path, 200])
  for (const path of ['/Über/erste-seite', '/über', '/über/erste-seite/x'])
    expect([path, (await visit(path)).status]).toEqual([path, 404])
  for (const path of [
    '/page/über/erste-seite',
    '/page/%2F%C3%BCber%2Ferste-seite',
    '/page//über/erste-seite',
  ])
    expect([path, (await call('GET', `/api/v1${path}`, { as: 'viewer' })).status]).toEqual([path, 200])
})

/** A published page, made past the rule for slugs. */
async function published(slug: string) {
  const route = await db.write(systemActor, tx =>
    tx.insert(tables.routes, { slug, title: slug, author_id: app.users.admin }),
  )
  const { route_id } = route
  await api('POST', '/content', { datatype_id: page.datatype_id, route_id, status: 'published' })
}

it('serves a page whose slug only begins like a path of the service', async () => {
  for (const slug of ['/admin-guide', '/apidocs', '/api-reference', '/administration/first', '/compatible']) {
    const { route_id } = await api('POST', '/routes', { slug, title: slug })
    await api('POST', '/content', { datatype_id: page.datatype_id, route_id, status: 'published' })
    const encoded = slug.replace('/a', '/%61')
    for (const path of [
      slug,
      `${slug}/`,
      `/${slug}`,
      encoded,
      `/%2F${slug.slice(1)}`,
      `${slug}?format=clean`,
    ])
      expect([path, (await visit(path)).status]).toEqual([path, 200])
    expect((await call('GET', `/api/v1/page${slug}`, { as: 'viewer' })).status).toBe(200)
  }
})

it('refuses a path of the service as a slug, and shows no page under any spelling of one', async () => {
  for (const slug of [
    '/admin',
    '/admin/x',
    '/api',
    '/api/x',
    '/API/x',
    '/compat',
    '/wp-json',
    '/.well-known/x',
  ]) {
    const answer = await call('POST', '/api/v1/routes', { body: { slug, title: slug } })
    expect([slug, answer.status, answer.text]).toEqual([
      slug,
      400,
      expect.stringContaining('the service itself'),
    ])
    await published(slug)
    const [, first = '', rest = ''] = /^\/([^/]+)(.*)$/.exec(slug) ?? []
    const encoded = `%${first.charCodeAt(0).toString(16)}${first.slice(1)}`
    // The panel asks for a sign-in.
    for (const path of [
      slug,
      `${slug}/`,
      `${slug}?x=1`,
      `/${slug}`,
      `/${encoded}${rest}`,
      `//${encoded}${rest}`,
      `/%2F${first}${rest}`,
      `/${first}${rest.replace('/', '%2F')}`,
      `/${first.toUpperCase()}${rest}`,
    ])
      expect([path, (await visit(path)).status]).toEqual([
        path,
        path.startsWith('/admin') ? expect.any(Number) : 404,
      ])
  }
})

it('finds its own endpoints under each spelling of their path, and the same page with it', async () => {
  for (const path of ['/api/v1/health', '/%61pi/v1/health', '/api/v1/%68ealth'])
    expect([path, (await visit(path)).status]).toEqual([path, 200])
  const textOf = async (path: string) => (await call('GET', `${path}?format=clean`, { as: 'viewer' })).text
  for (const path of ['/%61pi/v1/page/', '/api/v1/%70age/'])
    expect(await textOf(path)).toBe(await textOf('/api/v1/page/'))
  expect((await call('GET', '/api/v1/page/%zz', { as: 'viewer' })).status).toBe(400)
})

it('takes the default format from the configuration and refuses unknown ones', async () => {
  const fresh = await testApp({ output_format: 'clean' })
  expect((await visit('/')).body.root).toBeDefined()
  expect((await fresh.call('GET', '/', { as: 'nobody' })).status).toBe(404)
  for (const format of ['CLEAN', '', '__proto__', 'constructor', '../etc'])
    for (const path of [`/?format=${format}`, `/api/v1/page/?format=${format}`])
      expect([path, (await call('GET', path)).status]).toEqual([path, 400])
})

it('lists global trees, drafts only for those who work on them', async () => {
  const menu = await api('POST', '/datatypes', { label: 'Menu', type: '_global' })
  await api('POST', '/content', { datatype_id: menu.datatype_id })
  const shown = await api('POST', '/content', { datatype_id: menu.datatype_id, status: 'published' })
  await api('POST', '/content', { datatype_id: page.datatype_id, parent_id: shown.content_data_id })
  const all = await call('GET', '/api/v1/globals?format=clean', { as: 'editor' })
  expect(all.body).toEqual([
    { type: 'menu', children: [] },
    { type: 'menu', children: [{ type: 'sheet' }] },
  ])
  const named = await call('GET', '/api/v1/globals/menu?format=clean', { as: 'editor' })
  expect(named.body).toEqual(all.body)
  expect((await call('GET', '/api/v1/globals/page', { as: 'viewer' })).status).toBe(404)
  const published = await call('GET', '/api/v1/globals?format=clean&status=published', { as: 'viewer' })
  expect(published.body).toEqual([{ type: 'menu', children: [] }])
  expect(await db.count(tables.contentData, { datatype_id: menu.datatype_id })).toBe(2)
})

it('gives Strapi’s version 4 by its header at every endpoint, each variant with an ETag and a Vary of its own', async () => {
  await api('POST', '/routes', { slug: '/strapi', title: 'Strapi' }).then(({ route_id }) =>
    api('POST', '/content', { datatype_id: page.datatype_id, route_id, status: 'published' }),
  )
  const type = await api('POST', '/datatypes', { label: 'Footer', type: '_global' })
  await api('POST', '/content', { datatype_id: type.datatype_id, status: 'published' })
  const adminType = await api('POST', '/admin/datatypes', { label: 'Board', type: 'content' })
  const adminRoute = await api('POST', '/admin/routes', { slug: '/strapi', title: 'Strapi' })
  await api('POST', '/admin/content', { datatype_id: adminType.datatype_id, route_id: adminRoute.route_id })
  const paths = [
    '/strapi',
    '/api/v1/page/strapi',
    '/api/v1/page/strapi?status=published',
    '/api/v1/admin/tree/strapi',
    '/api/v1/globals',
    '/api/v1/globals/footer',
    '/api/v1/globals?status=published',
  ]
  for (const path of paths) {
    const ask = (format: string, headers = {}) =>
      call('GET', `${path}${path.includes('?') ? '&' : '?'}format=${format}`, { headers })
    const shape = (body: { data?: unknown }) => {
      const { data } = (Array.isArray(body) ? body[0] : body) as { data: object }
      return 'attributes' in data ? 4 : 5
    }
    const v4 = { 'Strapi-Response-Format': 'v4' }
    // The second time from memory, where there is one.
    for (const again of [false, true]) {
      const [five, four] = [await ask('strapi'), await ask('strapi', v4)]
      expect([path, again, shape(five.body), shape(four.body)]).toEqual([path, again, 5, 4])
      expect(four.headers.get('etag')).not.toBe(five.headers.get('etag'))
      const known = await ask('strapi', { ...v4, 'If-None-Match': four.headers.get('etag') ?? '' })
      expect([path, known.status, known.text]).toEqual([path, 304, ''])
      const other = await ask('strapi', { 'If-None-Match': four.headers.get('etag') ?? '' })
      expect([path, other.status]).toEqual([path, 200])
      const cached = path.startsWith('/api')
        ? 'private, no-cache'
        : 'public, max-age=0, stale-while-revalidate=30, stale-if-error=86400'
      for (const { headers } of [five, four, known])
        expect([path, headers.get('vary'), headers.get('cache-control')]).toEqual([
          path,
          'Strapi-Response-Format',
          cached,
        ])
      const clean = await ask('clean', v4)
      expect([path, clean.text, clean.headers.get('vary')]).toEqual([path, (await ask('clean')).text, null])
    }
  }
})
