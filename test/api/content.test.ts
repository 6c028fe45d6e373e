import { beforeEach, describe, expect, it } from 'vitest'
import { systemActor, systemActorFor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { chooser } from '../support/random.js'

const app = await testApp({ webhook_enabled: true })
const { call, db, audits, deliveries, subscribe, users, services } = app
const make = factories(app)
await subscribe()

const api = async (method: string, path: string, body?: unknown) => {
  const answer = await call(method, `/api/v1${path}`, body === undefined ? {} : { body })
  return answer.body
}
const page = (await make.datatype('Page')).datatype_id
await make.field(page, 'Title', 'text')

let n = 0
async function route(): Promise<string> {
  n++
  return (await make.route(`/page-${n}`)).route_id
}
const entry = async (place: object, more: object = {}) =>
  (await make.entry(page, place, more)).content_data_id as string
const root = async (more = {}) => entry({ route_id: await route() }, more)
const childrenOf = async (parent: string) => {
  const rows = await db.findAll(tables.contentData, { parent_id: parent }, { order: 'sort_order' })
  return rows.map(row => row.content_data_id)
}

let seenAudits = 0
let seenDeliveries = 0
beforeEach(async () => {
  seenAudits = (await audits()).length
  seenDeliveries = (await deliveries()).length
})
/** `OPERATION table` of the audit events, and the events delivered, since the test began. */
async function left() {
  return {
    audits: (await audits()).slice(seenAudits).map(event => `${event.operation} ${event.table_name}`),
    // Those of records have a file of their own.
    events: (await deliveries())
      .slice(seenDeliveries)
      .flatMap(({ event }) => (/^(route|redirect)\./.test(event) ? [] : [event])),
  }
}
const forget = async () => {
  seenAudits = (await audits()).length
  seenDeliveries = (await deliveries()).length
}

it('tells of each change of status once, with the version it keeps', async () => {
  const id = await root({ fields: { title: 'One' } })
  expect(await left()).toEqual({
    audits: ['INSERT routes', 'INSERT content_data', 'INSERT content_fields'],
    events: [],
  })
  await forget()
  await api('PUT', `/content?q=${id}`, { status: 'published' })
  expect(await left()).toEqual({
    audits: ['UPDATE content_data', 'INSERT content_versions'],
    events: ['version.created', 'content.published'],
  })
  const [version] = await db.findAll(tables.contentVersions, { content_data_id: id })
  const published = (await deliveries()).at(-1)
  expect(JSON.parse(published?.payload ?? '')).toEqual({
    id: expect.stringMatching(/^[0-9A-Z]{26}$/),
    event: 'content.published',
    occurred_at: expect.stringMatching(/Z$/),
    data: {
      content_data_id: id,
      content_version_id: version?.content_version_id,
      version_number: 1,
      locale: '',
      published_by: users.admin,
      slug: expect.stringMatching(/^\/page-/),
      datatypes: ['page'],
      slugs: [expect.stringMatching(/^\/page-/)],
      surrogate_keys: expect.arrayContaining([id, 'content', 'query', 'redirects']),
    },
  })
  await forget()
  await api('PUT', `/content?q=${id}`, { status: 'published' })
  expect(await left()).toEqual({ audits: [], events: [] })
  await api('PUT', `/content?q=${id}`, { fields: { title: 'Two' } })
  expect(await left()).toEqual({ audits: ['UPDATE content_fields'], events: ['content.updated'] })
  await forget()
  await api('PUT', `/content?q=${id}`, { status: 'draft' })
  expect((await left()).events).toEqual(['content.unpublished'])
  await forget()
  await api('PUT', `/content?q=${id}`, { fields: { title: 'Three' } })
  expect((await left()).events).toEqual([])
  await api('DELETE', `/content?q=${id}`)
  expect((await left()).events).toEqual(['content.deleted'])
})

it('publishes once however many ask at the same time', async () => {
  const id = await root()
  await forget()
  await Promise.all(Array.from({ length: 30 }, () => api('PUT', `/content?q=${id}`, { status: 'published' })))
  expect(await left()).toEqual({
    audits: ['UPDATE content_data', 'INSERT content_versions'],
    events: ['version.created', 'content.published'],
  })
})

it('keeps the order of siblings through creations, moves and reorders', async () => {
  const parent = await root()
  const [a, b, c, d] = [
    await entry({ parent_id: parent }),
    await entry({ parent_id: parent }),
    await entry({ parent_id: parent }),
    await entry({ parent_id: parent }),
  ]
  expect(await childrenOf(parent)).toEqual([a, b, c, d])
  await api('POST', '/content/move', { content_data_id: d, parent_id: parent, position: 0 })
  expect(await childrenOf(parent)).toEqual([d, a, b, c])
  await api('POST', '/content/move', { content_data_id: d, parent_id: parent, position: 99 })
  expect(await childrenOf(parent)).toEqual([a, b, c, d])
  await api('POST', '/content/move', { content_data_id: a, parent_id: parent })
  expect(await childrenOf(parent)).toEqual([b, c, d, a])
  await api('POST', '/content/reorder', { parent_id: parent, content_data_ids: [a, b, c, d] })
  expect(await childrenOf(parent)).toEqual([a, b, c, d])
  for (let i = 0; i < 40; i++) {
    const [first, , last] = await childrenOf(parent)
    await api('POST', '/content/move', { content_data_id: last, parent_id: parent, position: 1 })
    expect((await childrenOf(parent)).slice(0, 2)).toEqual([first, last])
  }
  const deep = await entry({ parent_id: a })
  await api('POST', '/content/move', { content_data_id: b, parent_id: deep })
  expect([await childrenOf(deep), (await childrenOf(parent)).includes(b)]).toEqual([[b], false])
})

it('takes a whole subtree to another route and back', async () => {
  const [from, to] = [await root(), await root()]
  const child = await entry({ parent_id: from }, { fields: { title: 'moved' } })
  const grandchild = await entry({ parent_id: child }, { fields: { title: 'moved too' } })
  await api('POST', '/content/move', { content_data_id: child, parent_id: to })
  const route_id = (await db.get(tables.contentData, to))?.route_id
  for (const id of [child, grandchild]) {
    expect((await db.get(tables.contentData, id))?.root_id).toBe(to)
    expect((await db.find(tables.contentFields, { content_data_id: id }))?.route_id).toBe(route_id)
  }
  const freed = await route()
  await api('PUT', `/content?q=${child}`, { parent_id: null, route_id: freed })
  expect(await db.get(tables.contentData, grandchild)).toMatchObject({ root_id: child })
  expect(await db.find(tables.contentFields, { content_data_id: grandchild })).toMatchObject({
    route_id: freed,
  })
  expect(await db.count(tables.contentTrees, { root_id: child })).toBe(1)
  await api('PUT', `/content?q=${child}`, { parent_id: from })
  expect(await db.get(tables.contentData, child)).toMatchObject({
    root_id: from,
    route_id: null,
    parent_id: from,
  })
  expect(await db.count(tables.contentTrees, { root_id: child })).toBe(0)
})

/** The long programme is `TEST_MOVE_ROUNDS=1700`, which is 10,000 moves. */
const moveRounds = Number(process.env.TEST_MOVE_ROUNDS ?? 40)

it('makes no cycle and no orphan by concurrent moves', { timeout: 600_000 }, async () => {
  const tops = [await root(), await root()]
  const nodes: string[] = []
  for (let i = 0; i < 8; i++)
    nodes.push(await entry({ parent_id: tops[i % 2] }, { fields: { title: `Node ${i}` } }))
  const { one } = chooser(7)
  const begun = new Set(nodes.map((id, i) => `${id} under ${tops[i % 2]}`))
  const asked = new Set<string>()
  const statuses = new Map<number, number>()
  for (let round = 0; round < moveRounds; round++) {
    const moves = Array.from({ length: 6 }, async () => {
      const [content_data_id, parent_id] = [one(nodes), one([...nodes, ...tops])]
      const { status } = await call('POST', '/api/v1/content/move', { body: { content_data_id, parent_id } })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status === 200) asked.add(`${content_data_id} under ${parent_id}`)
    })
    await Promise.all(moves)
  }
  expect([...statuses.keys()].filter(status => ![200, 400, 503].includes(status))).toEqual([])
  // Most moves make no circle and come about; some would make one, and are refused.
  expect(statuses.get(200)).toBeGreaterThan(moveRounds * 2)
  expect(statuses.get(400)).toBeGreaterThan(0)
  const places = (await db.findIn(tables.contentData, 'content_data_id', nodes)).map(
    ({ content_data_id, parent_id }) => `${content_data_id} under ${parent_id}`,
  )
  expect(places.filter(place => !asked.has(place) && !begun.has(place))).toEqual([])
  expect(places.filter(place => !begun.has(place)).length).toBeGreaterThan(0)
  const text = []
  for (const top of tops) {
    const { pages } = services.space
    const tree = await pages.page(
      await pages.treeRequest((await db.get(tables.contentData, top))?.route_id ?? ''),
    )
    text.push(new TextDecoder().decode(tree.body))
  }
  const ids = [...text.join().matchAll(/"content_data_id":"(\w+)","numeric_id"/g)].map(([, id]) => id)
  expect(ids.toSorted()).toEqual([...tops, ...nodes].toSorted())
  // Values go where their entries go.
  for (let i = 0; i < 8; i++) expect(text.join().split(`"Node ${i}"`)).toHaveLength(2)
  expect(await api('POST', '/content/heal', {})).toMatchObject({ misplaced: [] })
})

it('reports damage that was made outside of the service, and still serves what is whole', async () => {
  const id = await root({ status: 'published' })
  const [a, b] = [await entry({ parent_id: id }, { status: 'published' }), await entry({ parent_id: id })]
  const { route_id } = (await db.get(tables.contentData, id)) ?? {}
  const { slug } = (await db.get(tables.routes, route_id ?? '')) ?? {}
  await db.write(systemActor, async tx => {
    await tx.lockAndBumpTree(tables.contentTrees, id)
    await tx.update(tables.contentData, a, { parent_id: b })
    await tx.update(tables.contentData, b, { parent_id: a })
  })
  for (const path of [`/api/v1/content/tree/${route_id}`, `/api/v1/page${slug}`]) {
    const answer = await call('GET', path)
    expect([answer.status, answer.body]).toEqual([
      409,
      { error: 'Circular reference detected', code: 'damaged' },
    ])
  }
  const published = await call('GET', `${slug}?format=clean`, { as: 'nobody' })
  expect([published.status, published.body.children]).toEqual([200, []])
})

it('builds, serves, moves and deletes a tree of depth 10,000', async () => {
  const top = await root({ status: 'published' })
  const other = await root({ status: 'published' })
  const { route_id } = (await db.get(tables.contentData, top)) ?? {}
  const ids = [top]
  const actor = systemActorFor(users.admin)
  const depth = 10_000
  await db.write(actor, async tx => {
    for (let from = 1; from < depth; from += 500)
      await tx.insertAll(
        tables.contentData,
        Array.from({ length: Math.min(500, depth - from) }, () => {
          const content_data_id = tx.newId()
          const parent_id = ids.at(-1) as string
          ids.push(content_data_id)
          return {
            content_data_id,
            parent_id,
            datatype_id: page,
            root_id: top,
            status: 'published',
            author_id: users.admin,
          }
        }),
      )
    await tx.lockAndBumpTree(tables.contentTrees, top)
  })
  const { slug } = (await db.get(tables.routes, route_id ?? '')) ?? {}
  for (const format of ['clean', 'raw']) {
    const { text, status } = await call('GET', `${slug}?format=${format}`, { as: 'nobody' })
    expect([status, text.split('"children":[').length - 1]).toEqual([
      200,
      format === 'raw' ? depth : depth - 1,
    ])
  }
  const cycle = await call('POST', '/api/v1/content/move', {
    body: { content_data_id: ids[1], parent_id: ids.at(-1) },
  })
  expect(cycle.body).toEqual({
    error: 'Circular reference detected',
    code: 'circular_reference',
    member: 'parent_id',
  })
  expect(
    (await call('POST', '/api/v1/content/move', { body: { content_data_id: ids[1], parent_id: other } }))
      .status,
  ).toBe(200)
  expect(await db.count(tables.contentData, { root_id: other })).toBe(depth)
  await forget()
  expect((await call('DELETE', `/api/v1/content?q=${ids[1]}&recursive=true`)).status).toBe(204)
  expect(await db.count(tables.contentData, { root_id: other })).toBe(1)
  const { audits: events } = await left()
  expect(events.filter(event => event === 'DELETE content_data')).toHaveLength(depth - 1)
})

describe('an entry with other values', () => {
  const read = async (id: string) => {
    const { headers, body } = await call('GET', `/api/v1/content?q=${id}`)
    return { etag: headers.get('etag') ?? '', ...body }
  }
  const put = (id: string, title: string, etag: string) =>
    call('PUT', `/api/v1/content?q=${id}`, {
      body: { fields: { title } },
      headers: { 'If-Match': etag },
    })

  it('has another ETag, so that the second of two editors is told', async () => {
    const id = await root({ fields: { title: 'One' } })
    const before = await read(id)
    const first = await put(id, 'Two', before.etag)
    expect(first.status).toBe(200)
    const after = await read(id)
    expect(after).toMatchObject({ revision: before.revision + 1, etag: first.headers.get('etag') })
    expect((await put(id, 'Three', before.etag)).body).toMatchObject({ code: 'changed' })
    expect((await put(id, 'Two', after.etag)).status).toBe(200)
    expect(await read(id)).toEqual(after)
    expect((await put(id, 'Three', after.etag)).status).toBe(200)
  })

  it('is edited once by one request, whatever that changes, and leaves the audit event of the value', async () => {
    const id = await root({ fields: { title: 'One' }, status: 'published' })
    const child = await entry({ parent_id: id }, { fields: { title: 'Child' } })
    await forget()
    const children = [{ content_data_id: child, fields: { title: 'Other child' } }]
    await api('PUT', `/content?q=${id}`, { sort_order: 7, fields: { title: 'Two' }, children })
    expect((await left()).audits).toEqual([
      'UPDATE content_data',
      'UPDATE content_fields',
      'UPDATE content_fields',
    ])
    expect([(await read(id)).revision, (await read(child)).revision]).toEqual([2, 2])
  })

  it('is edited by each change of a value, and by a version that is restored', async () => {
    const id = await root({ fields: { title: 'One' } })
    const version = await api('POST', '/content/versions', { content_data_id: id })
    const [value] = await db.findAll(tables.contentFields, { content_data_id: id })
    const revisions: number[] = []
    const note = async () => revisions.push((await read(id)).revision)
    await note()
    await api('PUT', `/content-fields?q=${value?.content_field_id}`, { field_value: 'Two' })
    await note()
    await call('DELETE', `/api/v1/content-fields?q=${value?.content_field_id}`)
    await note()
    const { content_data_id, field_id } = value ?? {}
    await api('POST', '/content-fields', { content_data_id, field_id, field_value: 'Three' })
    await note()
    await api('POST', '/content/restore', { content_version_id: version.content_version_id })
    await note()
    expect(revisions).toEqual([1, 2, 3, 4, 5])
    const [restored] = await db.findAll(tables.contentFields, { content_data_id: id })
    expect(restored?.field_value).toBe('One')
  })
})
