import { join } from 'node:path'
import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { timestamp } from '../../src/ids.js'
import { insertEntries } from '../../src/services/content/entry-rows.js'
import { testApp } from '../support/app.js'
import { archiveOf, restoredOn, scratchFolder, siteOver } from '../support/backups.js'
import { engine } from '../support/database.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { call, db, clock, services } = app
const { datatype, field, route, entry } = factories(app)

const { datatype_id } = await datatype('Page')
await field(datatype_id, 'Text', 'text')

async function page(slug: string) {
  const { route_id } = await route(slug)
  const root = await entry(datatype_id, { route_id })
  const child = await entry(datatype_id, { parent_id: root.content_data_id }, { fields: { text: 'a' } })
  return { id: root.content_data_id as string, child: child.content_data_id as string, route_id }
}
type Page = Awaited<ReturnType<typeof page>>

const changedAt = async (id: string) => (await db.get(tables.contentTrees, id))?.changed_at

async function done(method: string, path: string, body?: object) {
  const { status, text, body: answer } = await call(method, `/api/v1${path}`, body && { body })
  expect([method, path, status < 300, text]).toEqual([method, path, true, text])
  return answer
}

const edits: [string, (page: Page) => Promise<unknown>][] = [
  ['a value', ({ child }) => done('PUT', `/content?q=${child}`, { fields: { text: 'b' } })],
  ['a new entry', ({ id }) => done('POST', '/content', { datatype_id, parent_id: id })],
  ['a deleted entry', ({ child }) => done('DELETE', `/content?q=${child}`)],
  ['its status', ({ id }) => done('POST', '/content/publish', { content_data_id: id })],
  ['its title', ({ route_id }) => done('PUT', `/routes?q=${route_id}`, { title: 'Another' })],
  [
    'a schedule',
    ({ id }) => {
      const publish_at = timestamp(clock.now() + 3_600_000)
      return done('POST', '/content/schedule', { content_data_id: id, publish_at })
    },
  ],
]

it.each(edits)('%s changes a tree, and no other', async (name, edit) => {
  const slug = `/${name.replaceAll(' ', '-')}`
  const [edited, other] = [await page(slug), await page(`${slug}-beside`)]
  const before = await changedAt(other.id)
  clock.advance(60_000)
  await edit(edited)
  expect(await changedAt(edited.id)).toBe(timestamp(clock.now()))
  expect(await changedAt(other.id)).toBe(before)
})

const readers: [string, (page: Page) => Promise<unknown>][] = [
  ['a stored version', ({ id }) => done('POST', '/content/versions', { content_data_id: id })],
  [
    'a copy of it',
    async ({ child }) => {
      const { id } = await page('/copy')
      await done('POST', '/content/duplicate', { content_data_id: child, parent_id: id })
      expect(await changedAt(id)).toBe(timestamp(clock.now()))
    },
  ],
  ['an edit without a change', ({ child }) => done('PUT', `/content?q=${child}`, { fields: { text: 'a' } })],
  ['its indexes, made again', () => services.space.publicBook.rebuild()],
  ['a search for damage', () => done('POST', '/content/heal', { dry_run: false })],
]

it.each(readers)('%s is no change of a tree', async (name, read) => {
  const one = await page(`/${name.replaceAll(/\W/g, '-')}`)
  const before = await changedAt(one.id)
  clock.advance(60_000)
  await read(one)
  expect(await changedAt(one.id)).toBe(before)
})

it('an imported tree has the latest time of its entries', async () => {
  const times = ['2024-01-02T00:00:00.000Z', '2024-03-04T00:00:00.000Z'] as const
  const [root, child] = [app.parts.ids.ulid(), app.parts.ids.ulid()]
  const rowOf = (content_data_id: string, i: 0 | 1, parent_id: string | null) => ({
    ...{ content_data_id, datatype_id, author_id: app.users.admin, status: 'draft' as const },
    ...{ parent_id, date_modified: times[i] },
  })
  await db.write(systemActor, tx =>
    insertEntries(tx, tables, undefined, [rowOf(root, 1, null), rowOf(child, 0, root)]),
  )
  expect(await changedAt(root)).toBe(times[1])
})

it('both trees change when an entry moves from one to the other', async () => {
  const [from, to] = [await page('/from'), await page('/to')]
  clock.advance(60_000)
  await done('POST', '/content/move', { content_data_id: from.child, parent_id: to.id })
  const now = timestamp(clock.now())
  expect([await changedAt(from.id), await changedAt(to.id)]).toEqual([now, now])
})

it('what an older version has changed has the time when its indexes are made again', async () => {
  const { id } = await page('/older')
  clock.advance(60_000)
  await db.write(systemActor, tx => tx.updateInternal(tables.contentTrees, [id], { book_version: 0 }))
  expect(await services.space.publicBook.catchUp()).toBe(1)
  expect(await changedAt(id)).toBe(timestamp(clock.now()))
})

it('a restore keeps the times of trees, and gives a missing tree that of its root', async () => {
  const [kept, missing] = [await page('/dumped'), await page('/missing')]
  clock.advance(60_000)
  await done('PUT', `/content?q=${kept.child}`, { fields: { text: 'b' } })
  const [at, rootAt] = [await changedAt(kept.id), await changedAt(missing.id)]
  await db.write(systemActor, tx => tx.dropTree(tables.contentTrees, missing.id))
  const archive = join(scratchFolder(), 'trees.zip')
  await archiveOf(app, archive)
  await db.write(systemActor, tx => tx.createTree(tables.contentTrees, missing.id))
  const restored = await siteOver(await restoredOn(engine, archive), app)
  const timeThere = async (id: string) => (await restored.db.get(tables.contentTrees, id))?.changed_at
  expect([await timeThere(kept.id), await timeThere(missing.id)]).toEqual([at, rootAt])
})

it('trees are listed alike, whether few of them are sorted or many are walked', async () => {
  const { workList } = services.space
  const menu = await datatype('Menu', { type: '_global' })
  const before = await workList.count({ place: 'shared' })
  for (let i = 0; i < 3; i++) await entry(menu.datatype_id, {})
  const all = { limit: 100, offset: 0 }
  const order = { by: 'changed', descending: true, titleFields: [] } as const
  for (const asked of [
    {},
    { datatype_id },
    { author_id: app.users.admin },
    { state: 'draft' },
    { state: 'published' },
    { state: 'scheduled' },
    { place: 'page' },
    { place: 'shared' },
  ] as const) {
    const total = await workList.count(asked)
    const few = await workList.list(asked, order, { ...all, total })
    expect([asked, few.length]).toEqual([asked, total])
    expect(await workList.list(asked, order, { ...all, total: 1_000_000 })).toEqual(few)
    const up = await workList.list(asked, { ...order, descending: false }, { ...all, total })
    expect(up).toEqual(few.toReversed())
    expect(await workList.list(asked, order, { limit: 3, offset: 2, total })).toEqual(few.slice(2, 5))
  }
  expect(await workList.count({ place: 'shared' })).toBe(before + 3)
})
