import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'

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

it('lets others go on during a long change', async () => {
  const top = await large('/long', 1000)
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
