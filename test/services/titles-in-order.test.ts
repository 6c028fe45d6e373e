import { beforeAll, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { engine } from '../support/database.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { db, services } = app
const { workList } = services.space
const { datatype, field, route, entry } = factories(app)
const long = 'The same beginning of a title that goes on for a hundred characters '.repeat(2)
const titles = [
  'b',
  'B',
  'a',
  'Ä',
  'ä',
  '%',
  "it's",
  '😀',
  'b',
  `${long}2`,
  `${long}1`,
  long.toUpperCase(),
  'z',
]
const titleFields: string[] = []
let total = 0

beforeAll(async () => {
  const { datatype_id } = await datatype('Card')
  const menu = await datatype('Menu', { type: '_global' })
  const { field_id } = await field(datatype_id, 'Heading', 'text')
  const { field_id: ofMenu } = await field(menu.datatype_id, 'Heading', 'text')
  titleFields.push(field_id, ofMenu)
  for (const [i, title] of titles.entries()) {
    const { route_id } = await route(`/page-${i}`, title)
    const fields = { heading: `heading ${i}` }
    const { content_data_id } = await entry(datatype_id, { route_id }, { fields })
    await entry(datatype_id, { parent_id: content_data_id }, { fields })
    await route(`/free-${i}`, title)
  }
  // Versions before a title was required have left pages without one.
  for (const heading of ['Bb', '', 'y'])
    await db.write(systemActor, async tx => {
      const author_id = app.users.admin
      const { route_id } = await tx.insert(tables.routes, {
        slug: `/untitled-${heading}`,
        title: '',
        author_id,
      })
      const content_data_id = tx.newId()
      await tx.createTree(tables.contentTrees, content_data_id)
      const row = { content_data_id, root_id: content_data_id, datatype_id, route_id, author_id }
      await tx.insertAll(tables.contentData, [{ ...row, status: 'draft' }])
      await tx.insertAll(tables.contentFields, [
        { content_data_id, field_id, field_value: heading, route_id, author_id },
      ])
    })
  for (const heading of ['A shared one', 'b', 'ZZ', ''])
    await entry(menu.datatype_id, {}, heading ? { fields: { heading } } : {})
  total = await workList.count({})
})

it.each([false, true])(
  'every slice of the first titles is that of all titles, descending: %j',
  async descending => {
    const order = { by: 'title', descending, titleFields } as const
    // Beyond the first thousand all trees are sorted.
    const all = await workList.list({}, order, { limit: 2000, offset: 0, total })
    expect([all.length, new Set(all).size]).toEqual([total, total])
    for (const limit of [1, 2, 7, total, 500])
      for (let offset = 0; offset <= total; offset += limit) {
        const slice = await workList.list({}, order, { limit, offset, total })
        expect([limit, offset, slice]).toEqual([limit, offset, all.slice(offset, offset + limit)])
      }
    const unnamed = await workList.list({}, { ...order, titleFields: [] }, { limit: 50, offset: 0, total })
    expect(unnamed).toEqual(
      await workList.list({}, { ...order, titleFields: [] }, { limit: 2000, offset: 0, total }),
    )
  },
)

it('says where an index has the titles', () => {
  expect(db.hasTitlesInOrder).toBe(engine !== 'mysql')
})
