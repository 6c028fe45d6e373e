import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'

const { call, audits, deliveries, users, clock, subscribe } = await testApp({ webhook_enabled: true })
await subscribe()

const made = async (path: string, body: unknown) => {
  const answer = await call('POST', `/api/v1${path}`, { body })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}

/** What the last request left in the audit log. */
let seen = (await audits()).length
async function newAudits() {
  const all = await audits()
  const fresh = all.slice(seen)
  seen = all.length
  return fresh
}

it('leaves exactly one audit event and one event a change, with its author and request', async () => {
  const created = await call('POST', '/api/v1/routes', {
    as: 'editor',
    body: { slug: '/audited', title: 'One' },
    headers: { 'User-Agent': 'test/1' },
  })
  const id = created.body.route_id
  const common = {
    table_name: 'routes',
    record_id: id,
    user_id: users.editor,
    surface: 'api',
    ip_address: '127.0.0.1',
    occurred_at: new Date(clock.now()).toISOString(),
  }
  expect(await newAudits()).toEqual([
    expect.objectContaining({
      ...common,
      operation: 'INSERT',
      old_values: null,
      new_values: created.body,
      user_agent: 'test/1',
      request_id: created.headers.get('x-request-id'),
    }),
  ])
  clock.advance(5)
  await call('PUT', `/api/v1/routes/?q=${id}`, { as: 'editor', body: { title: 'Two' } })
  expect(await newAudits()).toEqual([
    expect.objectContaining({
      operation: 'UPDATE',
      record_id: id,
      old_values: { title: 'One' },
      new_values: { title: 'Two' },
    }),
  ])
  const before = (await call('GET', `/api/v1/routes/?q=${id}`)).body
  clock.advance(5)
  const same = await call('PUT', `/api/v1/routes/?q=${id}`, { body: before })
  expect([same.status, same.body]).toEqual([200, before])
  expect(await newAudits()).toEqual([])
  await call('DELETE', `/api/v1/routes/?q=${id}`)
  expect(await newAudits()).toEqual([
    expect.objectContaining({
      operation: 'DELETE',
      old_values: before,
      new_values: null,
      user_id: users.admin,
    }),
  ])
  expect((await deliveries()).map(({ event }) => event)).toEqual([
    'route.created',
    'route.updated',
    'route.deleted',
  ])
})

it('leaves nothing of a change that was refused', async () => {
  await made('/routes', { slug: '/taken', title: 'Taken' })
  await newAudits()
  for (const body of [
    { slug: '/taken', title: 'Again' },
    { slug: '/other', title: 'x', author_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' },
    { slug: '/a b', title: 'x' },
  ])
    expect((await call('POST', '/api/v1/routes', { body })).status).toBeGreaterThanOrEqual(400)
  expect(await newAudits()).toEqual([])
  expect((await call('GET', '/api/v1/routes?slug=/other')).body).toEqual([])
})

it('puts the slashes of a slug right, and knows it as the same slug', async () => {
  const { slug, route_id } = await made('/routes', { slug: 'untidy/page/', title: 'Untidy' })
  expect(slug).toBe('/untidy/page')
  const twice = await call('POST', '/api/v1/routes', { body: { slug: '/untidy/page', title: 'x' } })
  expect(twice.status).toBe(409)
  const renamed = await call('PUT', `/api/v1/routes/?q=${route_id}`, { body: { slug: 'tidy/' } })
  expect([renamed.status, renamed.body.slug]).toEqual([200, '/tidy'])
})

it('answers an item with an ETag and lets only the first of two editors save', async () => {
  const { route_id } = await made('/routes', { slug: '/shared', title: 'Shared' })
  const path = `/api/v1/routes/?q=${route_id}`
  const read = await call('GET', path)
  const etag = read.headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
  expect((await call('GET', path, { headers: { 'If-None-Match': etag } })).status).toBe(304)
  const first = await call('PUT', path, { body: { title: 'First' }, headers: { 'If-Match': etag } })
  expect(first.status).toBe(200)
  const second = await call('PUT', path, { body: { title: 'Second' }, headers: { 'If-Match': etag } })
  expect([second.status, second.body]).toEqual([
    412,
    { error: expect.stringContaining('saved first'), code: 'changed' },
  ])
  expect((await call('DELETE', path, { headers: { 'If-Match': etag } })).status).toBe(412)
  expect((await call('GET', path)).body.title).toBe('First')
  const now = first.headers.get('etag') ?? ''
  expect((await call('DELETE', path, { headers: { 'If-Match': now } })).status).toBe(204)
})

it.each([
  ['/routes', 'slug', { slug: '/é', title: 'x' }],
  ['/admin/routes', 'slug', { slug: '/é', title: 'x' }],
  ['/media-dimensions', 'label', { label: 'é', width: 10, height: 10, fit: 'cover' }],
])('finds records of %s by %s, however the letters are composed', async (path, name, body) => {
  const record = await made(path, body)
  const value = Object.entries(body).find(([member]) => member === name)?.[1]
  for (const form of ['NFC', 'NFD'])
    expect([
      form,
      (await call('GET', `/api/v1${path}?${name}=${encodeURIComponent(String(value).normalize(form))}`)).body,
    ]).toEqual([form, [record]])
})

it('knows a role by its label, however the letters are composed', async () => {
  const { role_id } = await made('/roles', { label: 'Éditeur' })
  const body = { email: 'composed@example.com', role: 'Éditeur'.normalize('NFD') }
  expect((await call('POST', '/api/v1/users', { body })).body).toMatchObject({ role: role_id })
})

it('takes one of many equal creations and refuses the others', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, () =>
      call('POST', '/api/v1/routes', { body: { slug: '/raced', title: 'x' } }),
    ),
  )
  const count = (status: number) => answers.filter(answer => answer.status === status).length
  expect([count(201), count(409)]).toEqual([1, 39])
})

it('streams lists of any length in the order of their ids', async () => {
  const { datatype_id } = await made('/datatypes', { label: 'Many', type: '_global' })
  // As many at once as the pool has connections: more would wait, and a busy machine would refuse some.
  for (let i = 0; i < 105; i++)
    await Promise.all(Array.from({ length: 10 }, () => made('/content', { datatype_id })))
  const list = await call('GET', '/api/v1/content')
  expect(list.headers.get('x-total-count')).toBe('1050')
  const ids = list.body.map((row: { content_data_id: string }) => row.content_data_id)
  expect(ids).toEqual([...new Set(ids)].toSorted())
  expect(ids).toHaveLength(1050)
  const part = await call('GET', '/api/v1/content?limit=600&offset=440')
  expect(part.body).toEqual(list.body.slice(440, 1040))
  const rest = await call('GET', `/api/v1/content?after=${ids[1039]}`)
  expect(rest.body).toEqual(list.body.slice(1040))
  const filtered = await call('GET', `/api/v1/content?datatype_id=${datatype_id}&limit=0`)
  expect([filtered.headers.get('x-total-count'), filtered.text]).toEqual(['1050', '[]'])
})
