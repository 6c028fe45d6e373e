import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { type Caller, testApp } from '../support/app.js'

const { call, db, audits, users } = await testApp()
const missing = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const api = (method: string, path: string, body?: unknown, as: Caller = 'admin') =>
  call(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) })
const post = async (path: string, body: unknown) => (await api('POST', path, body)).body

const type = (await post('/datatypes', { label: 'Page', type: 'content' })).datatype_id
await post('/fields', { label: 'Title', field_type: 'text', parent_id: type })
await post('/fields', {
  label: 'See also',
  field_type: 'relation',
  parent_id: type,
  data: { cardinality: 'many' },
})
let pages = 0
const route = async () =>
  (await post('/routes', { slug: `/page-${++pages}`, title: `Page ${pages}` })).route_id as string
const entry = async (place: object, title: string) =>
  (await post('/content', { datatype_id: type, ...place, status: 'published', fields: { title } }))
    .content_data_id as string
const clean = async (n: number) => (await api('GET', `/page/page-${n}?format=clean`)).body

describe('a copy', () => {
  it('has everything underneath, as drafts, and its own relations', async () => {
    const root = await entry({ route_id: await route() }, 'root')
    const a = await entry({ parent_id: root }, 'a')
    const b = await entry({ parent_id: a }, 'b')
    const outside = await entry({ route_id: await route() }, 'outside')
    await api('PUT', `/content?q=${b}`, { fields: { seeAlso: JSON.stringify([a, outside]) } })
    const before = (await audits()).length
    const copy = await api('POST', '/content/duplicate', { content_data_id: root, route_id: await route() })
    expect([copy.status, copy.body.status, copy.body.parent_id]).toEqual([201, 'draft', null])
    const shown = await clean(3)
    const [original] = await Promise.all([clean(1)])
    const nameless = (text: unknown) =>
      JSON.parse(JSON.stringify(text).replaceAll(/[0-7][0-9A-Z]{25}/g, 'id'))
    expect(nameless(shown.children)).toEqual(nameless(original.children))
    const related = JSON.parse(shown.children[0].children[0].seeAlso)
    const [copyOfA] = (await api('GET', `/content?parent_id=${copy.body.content_data_id}`)).body
    expect(related).toEqual([copyOfA.content_data_id, outside])
    expect((await call('GET', '/page-3', { as: 'nobody' })).status).toBe(404)
    const events = (await audits()).slice(before).map(event => event.table_name)
    expect(events.filter(table => table === 'content_data')).toHaveLength(3)
    const under = await api('POST', '/content/duplicate', { content_data_id: a, parent_id: root })
    expect((await clean(1)).children).toHaveLength(2)
    expect(under.body.sort_order).toBeGreaterThan(copyOfA.sort_order - 1)
    // A copy under itself is a copy, and no circle.
    expect((await api('POST', '/content/duplicate', { content_data_id: a, parent_id: b })).status).toBe(201)
    expect((await clean(1)).children[0].children[0].children[0].title).toBe('a')
  })

  it('is refused without a place for it', async () => {
    const taken = await route()
    const root = await entry({ route_id: taken }, 'root')
    await entry({ parent_id: root }, 'child')
    const duplicate = async (body: object) => (await api('POST', '/content/duplicate', body)).status
    expect(await duplicate({ content_data_id: root })).toBe(400)
    expect(await duplicate({ content_data_id: root, route_id: taken })).toBe(409)
    expect(await duplicate({ content_data_id: root, route_id: missing })).toBe(400)
    expect(await duplicate({ content_data_id: root, parent_id: missing })).toBe(400)
    expect(await duplicate({ content_data_id: missing, parent_id: root })).toBe(404)
    expect(await duplicate({})).toBe(400)
  })
})

describe('healing', () => {
  const heal = async (body: object = {}) => (await api('POST', '/content/heal', body)).body
  const fine = { problems: [], circular: [], orphaned: [], misplaced: [], without_tree: [] }

  it('finds nothing where nothing is wrong', async () => {
    expect(await heal()).toEqual({ dry_run: true, ...fine })
  })

  it('finds a circle and a tree that was lost, and cuts and gathers them', async () => {
    const root = await entry({ route_id: await route() }, 'root')
    const a = await entry({ parent_id: root }, 'a')
    const b = await entry({ parent_id: a }, 'b')
    const c = await entry({ parent_id: b }, 'c')
    await db.write(systemActor, async tx => {
      await tx.update(tables.contentData, a, { parent_id: b })
      await tx.setSilently(tables.contentData, 'content_data_id', [c], { root_id: missing })
    })
    const path = `/page/page-${pages}?format=clean`
    expect((await api('GET', path)).body).toEqual({ error: 'Circular reference detected', code: 'damaged' })
    const found = await heal()
    expect(found).toEqual({
      dry_run: true,
      problems: ['Circular reference detected'],
      circular: [a, b],
      orphaned: [],
      misplaced: [a, b, c],
      without_tree: [a],
    })
    expect(await heal()).toEqual(found)
    const before = (await audits()).length
    expect(await heal({ dry_run: false })).toEqual({ ...found, dry_run: false })
    expect((await audits()).slice(before).map(event => `${event.operation} ${event.record_id}`)).toEqual([
      `UPDATE ${a}`,
    ])
    expect(await heal()).toEqual({ dry_run: true, ...fine })
    expect((await api('GET', path)).body.children).toEqual([])
    expect(await db.get(tables.contentData, a)).toMatchObject({
      parent_id: null,
      status: 'draft',
      root_id: a,
    })
    expect(await db.get(tables.contentData, c)).toMatchObject({ parent_id: b, root_id: a })
    // What was cut can be put where it belongs.
    expect((await api('POST', '/content/move', { content_data_id: a, parent_id: root })).status).toBe(200)
    expect((await api('GET', path)).body.children[0].children[0].children[0].title).toBe('c')
  })

  it('is helped by the tree of a route, which is read from its rows whatever is rendered', async () => {
    const route_id = await route()
    const root = await entry({ route_id }, 'root')
    const child = await entry({ parent_id: root }, 'child')
    const tree = async () => (await api('GET', `/content/tree/${route_id}`)).body.root.children
    for (let i = 0; i < 2; i++)
      expect([(await tree()).length, (await clean(pages)).children.length]).toEqual([1, 1])
    const lose = (root_id: string) =>
      db.write(systemActor, tx => tx.setSilently(tables.contentData, 'content_data_id', [child], { root_id }))
    await lose(missing)
    expect([await tree(), (await heal()).misplaced]).toEqual([[], [child]])
    await lose(root)
    expect(await tree()).toHaveLength(1)
  })

  it('finds values that name another route than their tree, which a page does not show', async () => {
    const root = await entry({ route_id: await route() }, 'root')
    const path = `/page/page-${pages}?format=clean`
    const child = await entry({ parent_id: root }, 'child')
    const elsewhere = await route()
    await db.write(systemActor, async tx => {
      await tx.lockAndBumpTree(tables.contentTrees, root)
      await tx.setSilently(tables.contentFields, 'content_data_id', [child], { route_id: elsewhere })
    })
    expect((await api('GET', path)).body.children).toEqual([{ type: 'page' }])
    const found = { problems: [], circular: [], orphaned: [], misplaced: [child], without_tree: [] }
    expect(await heal()).toEqual({ dry_run: true, ...found })
    expect(await heal({ dry_run: false })).toEqual({ dry_run: false, ...found })
    expect(await heal()).toEqual({ dry_run: true, ...fine })
    expect((await api('GET', path)).body.children).toEqual([{ type: 'page', title: 'child' }])
  })

  it('finds what is wrong between trees that are read in different pieces, and puts it right', async () => {
    // More trees than are counted, and more entries than are read, at once.
    const trees: string[][] = []
    await db.write(systemActor, async tx => {
      const all = Array.from({ length: 520 }, () => Array.from({ length: 11 }, () => tx.newId()))
      for (const [root = ''] of all) await tx.createTree(tables.contentTrees, root)
      const rows = all.flatMap(ids =>
        ids.map((id, i) => ({
          ...{ content_data_id: id, parent_id: ids[i - 1] ?? null, root_id: ids[0] ?? '', sort_order: i },
          ...{ datatype_id: type, author_id: users.admin, status: 'draft' },
        })),
      )
      await tx.insertAll(tables.contentData, rows)
      trees.push(...all)
    })
    expect(await heal()).toEqual({ dry_run: true, ...fine })
    const at = (tree: number, i: number) => trees[tree]?.[i] ?? ''
    await db.write(systemActor, async tx => {
      const parents: [string, string][] = [
        // Under an entry of another tree, with all that hangs on it.
        [at(3, 9), at(510, 10)],
        // A circle across two trees.
        [at(4, 5), at(500, 6)],
        [at(500, 5), at(4, 6)],
      ]
      for (const [id, parent_id] of parents) await tx.update(tables.contentData, id, { parent_id })
      await tx.dropTree(tables.contentTrees, at(250, 0))
    })
    const circle = [at(4, 5), at(4, 6), at(500, 5), at(500, 6)].sort()
    const [cut = ''] = circle
    const under = [...(trees[4] ?? []).slice(5), ...(trees[500] ?? []).slice(5)]
    const found = {
      problems: ['Circular reference detected'],
      circular: circle,
      orphaned: [],
      misplaced: [at(3, 9), at(3, 10), ...under].sort(),
      without_tree: [at(250, 0), cut].sort(),
    }
    expect(await heal()).toEqual({ dry_run: true, ...found })
    expect(await heal({ dry_run: false })).toEqual({ dry_run: false, ...found })
    expect(await heal()).toEqual({ dry_run: true, ...fine })
    expect(await db.get(tables.contentData, at(3, 10))).toMatchObject({ root_id: at(510, 0) })
    expect(await db.get(tables.contentData, at(500, 10))).toMatchObject({ root_id: cut })
  })

  it.each([{ dry_run: 'no' }, { dry_run: 1 }])('refuses %j', async body => {
    expect((await api('POST', '/content/heal', body)).status).toBe(400)
  })
})
