import type { Knex } from 'knex'
import { eachRow } from '../each-row.js'
import { bySpace, type Query, type RowsQuery } from '../statements.js'
import type { ContentSpace } from '../tables.js'
import { type AfterShape, afterSql, type SortShape, sortParts } from './entry-order.js'
import {
  type Bound,
  comparison,
  type FieldShape,
  type IndexKey,
  oneOf,
  placesIn,
  type SourceShape,
  signs,
  sourceSql,
  sqlOf,
  type TestShape,
} from './entry-tests.js'

/**
 * Reads of the public book. The shape of a statement says what is compared; the values that it compares with are
 * given in the order in which the shape names them.
 */

interface Rows {
  id: string
  keys: (string | number | null)[]
}

type Listed = Rows & { route_id: string | null; published_at: string | null }
const listed = ['e.content_data_id as id', 'e.route_id', 'e.published_at']
const asListed = ({ id, route_id, published_at }: Record<string, unknown>, keys: Rows['keys']): Listed => ({
  id: id as string,
  keys,
  route_id: route_id as string | null,
  published_at: published_at as string | null,
})

const names = (n: number): string[] => Array.from({ length: n }, (_, i) => `v${i}`)

/** At most `most` ids of a source; an id may come twice. Values: those of the source. */
export const sourceIds = bySpace(
  (space: ContentSpace, source: SourceShape, most: number): RowsQuery<string, string> => {
    const ids = sourceSql(space, source)
    const placed = names(placesIn(ids))
    return {
      values: placed,
      build: (knex, value) =>
        knex
          .select('p.id')
          .from(knex.raw(`(${ids} limit ${most}) p`, placed.map(value)) as unknown as string),
      rows: rows => rows.map(row => row.id as string),
    }
  },
)

/** The ids of those of `ids` entries, of any datatypes, that pass a test. Values: the ids, those of the test. */
export const passing = bySpace(
  (space: ContentSpace, ids: number, test: TestShape): RowsQuery<string, string> => {
    const where = `e.content_data_id ${oneOf(ids)} and (${sqlOf(test, 'e', { space, next: 0 })})`
    const placed = names(placesIn(where))
    return {
      values: placed,
      build: (knex, value) =>
        knex(`${space.publicEntries.name} as e`)
          .select('e.content_data_id as id')
          .whereRaw(where, placed.map(value)),
      rows: rows => rows.map(row => row.id as string),
    }
  },
)

/** An order with its limit as a number in the SQL text, which SQLite plans better than a bound value. */
const ended = (order: string, { limit, offset = false }: { limit: number; offset?: boolean }): string =>
  `${order} limit ${limit}${offset ? ' offset ?' : ''}`

/** The entries that a statement looks at, and the tests that they must pass. */
export type WhereShape = {
  /** All that hold together; empty for every entry of the datatype. */
  tests: TestShape[]
  /** How many entries are named by their ids; 0 to look at all. */
  ids: number
}

export type ListShape = WhereShape & {
  sorts: SortShape[]
  after: AfterShape | false
  limit: number
  offset: boolean
}

/**
 * Entries of a datatype that pass the tests, in their order. Values: those of the sorts, the datatype, the ids, those
 * of the tests, of `after`, the offset.
 */
export const listEntries = bySpace((space: ContentSpace, shape: ListShape): RowsQuery<string, Listed> => {
  const { joins, where, order, keys } = listSql(space, shape)
  const placed = names(placesIn(joins) + placesIn(where) + (shape.offset ? 1 : 0))
  return {
    values: placed,
    build: (knex, value) => {
      const [joined, rest] = [placesIn(joins), placed.map(value)]
      return knex
        .select(knex.raw([...listed, ...keys].join(', ')))
        .from(knex.raw(`${space.publicEntries.name} e${joins}`, rest.slice(0, joined)) as unknown as string)
        .whereRaw(where, rest.slice(joined, joined + placesIn(where)))
        .orderByRaw(ended(order, shape), shape.offset ? rest.slice(-1) : [])
    },
    rows: rows =>
      rows.map(row =>
        asListed(
          row,
          keys.map((_, i) => row[`k${i}`] as string | number | null),
        ),
      ),
  }
})

function whereOf(space: ContentSpace, { tests, ids }: WhereShape): string {
  const naming = { space, next: 0 }
  // Where the entries are named, the index of the datatype would be the longer way.
  const of =
    ids > 0
      ? `coalesce(e.datatype_id, '') = ? and e.content_data_id ${oneOf(ids)}`
      : `${eachRow.of('e.content_data_id')} e.datatype_id = ?`
  return [of, ...tests.map(test => `(${sqlOf(test, 'e', naming)})`)].join(' and ')
}

function listSql(space: ContentSpace, shape: ListShape) {
  const parts = shape.sorts.map((sort, n) => ({ ...sortParts(space, sort, n), descending: sort.descending }))
  const lastDescending = parts[0]?.descending ?? false
  const direction = (descending: boolean) => (descending ? ' desc' : '')
  const orders = parts.flatMap(({ key, nullable, descending }) => [
    ...(nullable ? [`case when ${key} is null then 1 else 0 end`] : []),
    `${key}${direction(descending)}`,
  ])
  // Nothing comes after the id: it is unique, and to name it twice would make engines sort rows that are in order.
  const isDecided = shape.sorts.some(sort => sort.at === 'column' && sort.column === 'id')
  if (!isDecided) orders.push(`e.content_data_id${direction(lastDescending)}`)
  const where = whereOf(space, shape)
  return {
    joins: parts.map(({ joins }) => joins).join(''),
    where: shape.after ? `${where} and ${afterSql(parts, shape.after, lastDescending)}` : where,
    order: orders.join(', '),
    keys: parts.map(({ key }, i) => `${key} as k${i}`),
  }
}

export type WalkShape = {
  tests: TestShape[]
  key: IndexKey
  bounds: Bound[]
  descending: boolean
  after: boolean
  limit: number
}

/**
 * Entries that pass the tests in the order of one field in one locale, from its index. Entries without a value are left
 * out. Values: the field, the locale, those of the bounds, the key and the key and the id to begin after, the datatype,
 * those of the tests.
 */
export const walkEntries = bySpace((space: ContentSpace, shape: WalkShape): RowsQuery<string, Listed> => {
  const { key, bounds, descending, after, limit, tests } = shape
  const column = `s.${key}_key`
  const [direction, sign] = descending ? ['desc', '<'] : ['asc', '>']
  const where = [
    's.content_data_id = e.content_data_id',
    // Only the value itself has a number, and the index of numbers has no positions.
    `s.field_id = ? and s.locale = ? and ${key === 'number' ? `${column} is not null` : `s.position = 0 and ${column} > ''`}`,
    ...bounds.map(op => `${column} ${signs[op]} ?`),
    ...(after ? [`(${column} ${sign} ? or (${column} = ? and s.content_data_id ${sign} ?))`] : []),
    whereOf(space, { tests, ids: 0 }),
  ].join(' and ')
  const placed = names(placesIn(where))
  return {
    values: placed,
    // A cross join makes SQLite begin with the index of the values.
    build: (knex, value) =>
      knex(`${space.publicValues.name} as s`)
        .crossJoin(knex.raw('?? as ??', [space.publicEntries.name, 'e']) as unknown as Knex.Raw)
        .select(knex.raw([...listed, `${column} as k0`].join(', ')))
        .whereRaw(where, placed.map(value))
        .orderByRaw(ended(`${column} ${direction}, s.content_data_id ${direction}`, { limit })),
    rows: rows => rows.map(row => asListed(row, [row.k0 as string | number])),
  }
})

/** How many entries of a datatype pass the tests. Values: the datatype, the ids, those of the tests. */
export const countEntries = bySpace(
  (space: ContentSpace, shape: WhereShape): RowsQuery<string, number> =>
    counted(`${space.publicEntries.name} e`, whereOf(space, shape)),
)

/**
 * Counts by the values of one field in one locale, of which each entry has at most one that passes. All belong to
 * entries of the field's datatype (`refuseChange`, `refuseValues`), so without further tests the entries are not looked
 * at. Values: the field, the locale, those of its test; with further tests the datatype, theirs.
 */
export const countByValues = bySpace(
  (
    space: ContentSpace,
    { first, tests }: { first: FieldShape; tests: TestShape[] },
  ): RowsQuery<string, number> => {
    const [entries, values] = [space.publicEntries.name, space.publicValues.name]
    const ofField = `${eachRow.of('s.position')} s.field_id = ? and s.locale = ? and ${comparison('s', first, values)}`
    if (tests.length === 0) return counted(`${values} s`, ofField)
    const where = `${ofField} and e.content_data_id = s.content_data_id and ${whereOf(space, { tests, ids: 0 })}`
    // A cross join makes SQLite begin with the index of the values.
    return counted(`${values} s cross join ${entries} e`, where)
  },
)

function counted(from: string, where: string): RowsQuery<string, number> {
  const placed = names(placesIn(where))
  return {
    values: placed,
    build: (knex, value) =>
      knex
        .count({ n: '*' })
        .from(knex.raw(from) as unknown as string)
        .whereRaw(where, placed.map(value)),
    rows: rows => rows.map(row => Number(row.n)),
  }
}

/**
 * Entries of datatypes that the public sees, with their trees, at most `most` and in no order.
 * Values: the ids of the datatypes.
 */
export const entriesOfDatatypes = bySpace(
  (space: ContentSpace, number: number, most: number): Query<string, { id: string; root_id: string }> => {
    const placed = names(number)
    return {
      values: placed,
      build: (knex, value) =>
        knex(space.publicEntries.name)
          .select(['content_data_id as id', 'root_id'])
          .whereIn('datatype_id', placed.map(value))
          .limit(most),
      rows: rows => rows.map(row => ({ id: row.id as string, root_id: row.root_id as string })),
    }
  },
)
