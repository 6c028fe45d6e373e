import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemActor } from '../../src/actor.js'
import type { Dialect } from '../../src/db/dialects/dialect.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { publicRow } from '../support/public-rows.js'

const { call, db } = await testApp()
const api = (method: string, path: string, body?: unknown) =>
  call(method, `/api/v1${path}`, { as: 'admin', ...(body === undefined ? {} : { body }) })
const post = async (path: string, body: unknown) => (await api('POST', path, body)).body

const { datatype_id } = await post('/datatypes', { label: 'Page', type: 'content' })
const field = async (name: string) =>
  (await post('/fields', { label: name, name, field_type: 'text', parent_id: datatype_id })).field_id
const field_id = await field('text')
const route = async (slug: string) => (await post('/routes', { slug, title: slug })).route_id
const page = async (slug: string) =>
  (await post('/content', { datatype_id, route_id: await route(slug) })).content_data_id as string
const count = () => db.count(tables.contentData)
const author_id = (await db.find(tables.users, {}))?.user_id ?? ''

/** A page with so many entries below it, stored past the API. */
async function large(slug: string, entries: number) {
  const root_id = await page(slug)
  await db.write(systemActor, async tx => {
    await tx.lockAndBumpTree(tables.contentTrees, root_id)
    await tx.insertAll(
      tables.contentData,
      Array.from({ length: entries }, () => ({
        parent_id: root_id,
        root_id,
        datatype_id,
        author_id,
        sort_order: 0,
        status: 'draft',
      })),
    )
  })
  return root_id
}

const other = await page('/other')
const huge = await large('/huge', 20_000)
const works: readonly (readonly [string, () => ReturnType<typeof api>])[] = [
  ['duplicate', () => api('POST', '/content/duplicate', { content_data_id: huge, parent_id: other })],
  [
    'duplicate into itself',
    () => api('POST', '/content/duplicate', { content_data_id: huge, parent_id: huge }),
  ],
  ['publish', () => api('POST', '/content/publish', { content_data_id: huge })],
  ['unpublish', () => api('POST', '/content/unpublish', { content_data_id: huge })],
  ['move', () => api('POST', '/content/move', { content_data_id: huge, parent_id: other })],
  ['move by an update', () => api('PUT', `/content?q=${huge}`, { parent_id: other })],
  ['delete', () => api('DELETE', `/content?q=${huge}&recursive=true`)],
  ['version', () => api('POST', '/content/versions', { content_data_id: huge })],
]

describe('a subtree of too many entries', () => {
  it.each(works)('is refused with both numbers, and nothing happens: %s', async (_, work) => {
    const before = await count()
    const { status, body } = await work()
    expect([status, body]).toMatchObject([
      400,
      { error: expect.stringMatching(/20001 entries.*at most (5000|20000)/) },
    ])
    expect(await count()).toBe(before)
  })
})

it('refuses values that are too many or too long together, and takes the parts', async () => {
  const top = await page('/values')
  const value = (locale: string, field_value: string) => ({
    content_data_id: top,
    field_id,
    locale,
    field_value,
    route_id: null,
    author_id,
  })
  await db.write(systemActor, tx => tx.insertAll(tables.contentFields, [value('', 'x'.repeat(9_000_000))]))
  expect((await api('POST', '/content/publish', { content_data_id: top })).status).toBe(200)
  await db.write(systemActor, tx => tx.insertAll(tables.contentFields, [value('de', 'x'.repeat(9_000_000))]))
  const { status, body } = await api('POST', '/content/publish', { content_data_id: top })
  expect([status, body.error]).toEqual([400, expect.stringContaining('18000000 characters')])
})

it('publishes and takes back in a number of statements that grows with pieces, not with entries', async () => {
  const top = await large('/pieces', 1200)
  const count = async (path: string) => {
    let statements = 0
    const { dialect } = db as unknown as { dialect: Dialect }
    const original = dialect.transaction
    dialect.transaction = work =>
      original(session => {
        const counted =
          <A extends unknown[], R>(send: (...given: A) => R) =>
          (...given: A) => {
            statements++
            return send(...given)
          }
        return work({
          all: counted(session.all),
          lists: counted(session.lists),
          run: counted(session.run),
        })
      })
    onTestFinished(() => {
      dialect.transaction = original
    })
    expect((await api('POST', path, { content_data_id: top })).status).toBe(200)
    dialect.transaction = original
    return statements
  }
  expect(await count('/content/publish')).toBeLessThan(100)
  expect(await db.count(tables.contentData, { root_id: top, status: 'published' })).toBe(1201)
  expect(await count('/content/unpublish')).toBeLessThan(100)
  expect(await db.count(tables.contentData, { root_id: top, status: 'draft' })).toBe(1201)
  const of = { record_id: top, table_name: 'content_data', operation: 'UPDATE' } as const
  const events = await db.findAll(internalTables.auditEvents, of)
  expect(events.map(({ new_values }) => Object.keys(new_values as object))).toEqual([
    ['status', 'published_at', 'published_by'],
    ['status'],
  ])
})

it('lets others go on during a long change', async () => {
  const top = await large('/long', 3000)
  let turns = 0
  let working = true
  const done = api('POST', '/content/publish', { content_data_id: top }).finally(() => {
    working = false
  })
  while (working) {
    await new Promise(resolve => setImmediate(resolve))
    turns++
  }
  expect((await done).status).toBe(200)
  expect(turns).toBeGreaterThan(5)
})

it('lets others go on after each 500 rows, whatever is done with them', async () => {
  const root_id = await page('/in-turns')
  const values = Array.from({ length: 2000 }, () => ({
    parent_id: root_id,
    root_id,
    datatype_id,
    author_id,
    sort_order: 0,
    status: 'draft' as const,
  }))
  // Every look at the clock finds that it is time.
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 20))
  onTestFinished(() => clock.mockRestore())
  let turns = 0
  let running = true
  const others = (async () => {
    for (; running; turns++) await new Promise(resolve => setImmediate(resolve))
  })()
  const during = async <T>(work: Promise<T>): Promise<{ result: T; turns: number }> => {
    const before = turns
    const result = await work
    return { result, turns: turns - before }
  }
  await db.write(systemActor, async tx => {
    await tx.lockAndBumpTree(tables.contentTrees, root_id)
    const made = await during(tx.insertAll(tables.contentData, values))
    expect(made.turns).toBeGreaterThanOrEqual(4)
    const keys = made.result.map(row => row.content_data_id)
    // They are read, compared and written.
    const changed = await during(tx.updateAll(tables.contentData, keys, { sort_order: 1 }))
    expect(changed.turns).toBeGreaterThanOrEqual(12)
    const indexed = keys.map(content_data_id =>
      publicRow({ content_data_id, datatype_id, author_id, root_id, parent_id: root_id }),
    )
    expect((await during(tx.insertAllInternal(tables.publicEntries, indexed))).turns).toBeGreaterThanOrEqual(
      4,
    )
    const gone = during(tx.deleteAllInternal(tables.publicEntries, 'content_data_id', keys))
    expect((await gone).turns).toBeGreaterThanOrEqual(4)
    // They are removed, and then their audit events are made.
    expect((await during(tx.removeAll(tables.contentData, changed.result))).turns).toBeGreaterThanOrEqual(8)
  })
  running = false
  await others
})

it('deletes versions that are too long together for one statement', async () => {
  const top = await page('/versions')
  const value = {
    content_data_id: top,
    field_id,
    locale: '',
    field_value: 'x'.repeat(9_000_000),
    route_id: null,
  }
  await db.write(systemActor, tx => tx.insertAll(tables.contentFields, [{ ...value, author_id }]))
  for (let i = 0; i < 2; i++)
    expect((await api('POST', '/content/versions', { content_data_id: top })).status).toBe(201)
  expect((await api('DELETE', `/content?q=${top}`)).status).toBe(204)
})

it('takes edits of a page in staged mode, however large it is', async () => {
  const staged = await testApp({ publish_mode: 'staged' })
  const made = async (path: string, body: unknown) =>
    (await staged.call('POST', `/api/v1${path}`, { as: 'admin', body })).body
  const type = (await made('/datatypes', { label: 'Page', type: 'content' })).datatype_id
  const route_id = (await made('/routes', { slug: '/staged', title: 'x' })).route_id
  const top = (await made('/content', { datatype_id: type, route_id, status: 'published' })).content_data_id
  const author = (await staged.db.find(tables.users, {}))?.user_id ?? ''
  const one = { parent_id: top, root_id: top, datatype_id: type, author_id: author, sort_order: 0 }
  await staged.db.write(systemActor, async tx => {
    await tx.lockAndBumpTree(tables.contentTrees, top)
    await tx.insertAll(
      tables.contentData,
      Array.from({ length: 5000 }, () => ({ ...one, status: 'published' })),
    )
  })
  const shown = async () => (await staged.call('GET', '/staged?format=clean', { as: 'nobody' })).body.children
  expect(await shown()).toHaveLength(5000)
  const body = { datatype_id: type, parent_id: top, status: 'published' }
  expect((await staged.call('POST', '/api/v1/content', { as: 'admin', body })).status).toBe(201)
  expect(await shown()).toHaveLength(5000)
})
