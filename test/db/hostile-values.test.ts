import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { treeShape, valueSizes } from '../../src/db/queries/content.js'
import { mediaCount, mediaKeys } from '../../src/db/queries/media.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'

const { db, users } = await testApp()
const { route_id } = await db.write(systemActor, tx =>
  tx.insert(tables.routes, { slug: '/slug', title: 'title', author_id: users.admin }),
)

// What gets here has passed the surface, which refuses it; a statement must not depend on that.
describe.each([
  ['NUL', 'a\0'],
  ['an emoji', '😀'],
  ['a letter that is no ASCII', 'é'],
  ['a lone surrogate', '\ud800'],
  ['nothing', ''],
])('%s where an id is compared', (_, id) => {
  it('finds nothing, and what is asked for beside it', async () => {
    expect(await db.get(tables.routes, id)).toBeUndefined()
    expect(await db.count(tables.routes, { route_id: id })).toBe(0)
    expect(await db.findAll(tables.routes, { author_id: id })).toEqual([])
    const found = await db.findIn(tables.routes, 'route_id', [id, route_id])
    expect(found.map(row => row.route_id)).toEqual([route_id])
  })

  it('is no place to go on from', async () => {
    const after = id === '' ? [[expect.objectContaining({ route_id })]] : []
    const batches = []
    for await (const batch of db.stream(tables.routes, {}, { after: id })) batches.push(batch)
    expect(batches).toEqual(after)
  })

  it('changes nothing', async () => {
    const changed = await db.write(systemActor, async tx => {
      await tx.setSilently(tables.contentData, 'content_data_id', [id], { root_id: route_id })
      return tx.updateAll(tables.routes, [id], { title: 'other' })
    })
    expect(changed).toEqual([])
    expect(await db.get(tables.routes, route_id)).toMatchObject({ title: 'title' })
  })
})

it('finds nothing by a query with a NUL', async () => {
  const none = { folder: '', type: '', kind: '', text: '%a\0%' } as never
  expect(await db.query(mediaCount(tables, ['text']), none)).toEqual([])
  const slice = { limit: 1, offset: 0, after: false, by: 'uploaded', descending: false } as const
  expect(
    await db.query(mediaKeys(tables, ['text'], slice), { ...(none as object), after: '' } as never),
  ).toEqual([])
  expect(await db.query(treeShape(tables), { root: 'a\0' })).toEqual([])
  expect(await db.queryIn(valueSizes(tables), ['a\0'])).toEqual([])
})

it('looks for texts that are no ids by their bytes', async () => {
  expect(await db.find(tables.routes, { slug: '/slug\0' })).toBeUndefined()
  expect(await db.find(tables.routes, { slug: '/😀' })).toBeUndefined()
  expect(await db.find(tables.routes, { slug: '/slug' })).toMatchObject({ route_id })
})
