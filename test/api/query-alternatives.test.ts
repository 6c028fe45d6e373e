import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const make = factories(app)
const { datatype_id } = await make.datatype('Thing', { type: '_global', visibility: 'public' })
const fields = {
  number: (await make.field(datatype_id, 'Number', 'number')).field_id,
  group: (await make.field(datatype_id, 'Group', 'text')).field_id,
}
/** More entries than a statement begins with; the first 1005 are of one group. */
const many = 1020
const author_id = app.users.admin
const ids = await app.db.write({ ...systemActor, userId: author_id }, async tx => {
  const rows = Array.from({ length: many }, (_, n) => {
    const content_data_id = tx.newId()
    const published_at = new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString()
    return {
      ...{ content_data_id, root_id: content_data_id, datatype_id, author_id, published_at },
      status: 'published' as const,
    }
  })
  for (const { content_data_id } of rows) await tx.createTree(tables.contentTrees, content_data_id)
  await tx.insertAll(tables.contentData, rows)
  await tx.insertAll(
    tables.contentFields,
    rows.flatMap(({ content_data_id }, n) => [
      { content_data_id, field_id: fields.number, field_value: String(n), author_id },
      { content_data_id, field_id: fields.group, field_value: n < 1005 ? 'large' : `small ${n}`, author_id },
    ]),
  )
  return rows.map(row => row.content_data_id)
})

const found = async (filter: string) => {
  const { body, status } = await app.call(
    'GET',
    `/api/v1/query/thing?count=true&sort=id&limit=200&${filter}`,
    {
      as: 'nobody',
    },
  )
  expect([filter, status]).toEqual([filter, 200])
  const numbers = body.data.map(({ id }: { id: string }) => ids.indexOf(id))
  expect([filter, body.meta.count]).toEqual([filter, numbers.length])
  return numbers
}

it.each([
  ['filter[or][0][number][eq]=5&filter[or][1][group][eq]=small 1010', [5, 1010]],
  ['filter[or][0][number][lt]=2&filter[or][1][number][gte]=1018', [0, 1, 1018, 1019]],
  [
    `filter[or][0][id][in]=${ids[7]},${ids[8]}&filter[or][1][published_at][lt]=2026-01-01T00:02:00Z`,
    [0, 1, 7, 8],
  ],
  ['filter[or][0][group][contains]=l 1011&filter[or][1][number][eq]=3', [3, 1011]],
  // One condition of each alternative is enough.
  [
    'filter[or][0][and][0][group][eq]=large&filter[or][0][and][1][number][in]=4,1012&filter[or][1][number][eq]=9',
    [4, 9],
  ],
  [
    'filter[or][0][or][0][number][eq]=1&filter[or][0][or][1][number][eq]=2&filter[or][1][number][eq]=3&filter[number][ne]=2',
    [1, 3],
  ],
  ['filter[or][0][number][eq]=-1&filter[or][1][group][eq]=nobody', []],
])('a query begins with what passes one of its alternatives: %s', async (filter, expected) => {
  expect(await found(filter)).toEqual(expected)
})

it.each([
  ['filter[or][0][number][eq]=3&filter[or][1][number][exists]=false', [3]],
  [
    'filter[or][0][and][0][group][eq]=large&filter[or][0][and][1][number][exists]=false&filter[or][1][number][eq]=4',
    [4],
  ],
])('and else looks at all: %s', async (filter, expected) => {
  expect(await found(filter)).toEqual(expected)
})

it.each([
  ['filter[number][gte]=4&filter[number][lt]=7', [4, 5, 6]],
  ['filter[number][gt]=3&filter[number][lte]=3', []],
  ['filter[number][gt]=3&filter[group][eq]=large&filter[number][lte]=5', [4, 5]],
])('a query begins with what is between two numbers: %s', async (filter, expected) => {
  expect(await found(filter)).toEqual(expected)
})
