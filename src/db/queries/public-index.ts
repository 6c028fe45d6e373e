import type { Knex } from 'knex'
import { bySpace, type Query, type RowsQuery } from '../statements.js'
import type { ContentSpace } from '../tables.js'
import { type AfterShape, afterSql, type SortShape, sortParts } from './index-order.js'
import {
  columnSql,
  containsSql,
  type IndexKey,
  isAboutEntry,
  oneOf,
  placesIn,
  type RouteShape,
  type SourceShape,
  sourceSql,
  sqlOf,
  type TestShape,
} from './index-tests.js'

/**
 * Reads of the public book. The shape of a statement says what is compared; the values that it compares with are
 * given in the order in which the shape names them.
 */

interface Rows {
  id: string
  keys: (string | number | null)[]
}

/** With what is shown of the entry beside its values. */
type Listed = Rows & { route_id: string | null; published_at: string | null }
const listed = ['e.content_data_id as id', 'e.route_id', 'e.published_at']
const asListed = ({ id, route_id, published_at }: Record<string, unknown>, keys: Rows['keys']): Listed => ({
  id: id as string,
  keys,
  route_id: route_id as string | null,
  published_at: published_at as string | null,
})

const names = (n: number): string[] => Array.from({ length: n }, (_, i) => `v${i}`)
/** How many entries a source names, at most one more than `most`. Values as of the source. */
export const howMany = bySpace(
  (space: ContentSpace, source: SourceShape, most: number): Query<string, number> => {
    const named = sourceSql(space, source)
    const placed = names(placesIn(named))
    return {
      values: placed,
      build: (knex, value) =>
        knex
          .count({ n: '*' })
          .from(knex.raw(`(${named} limit ${most + 1}) p`, placed.map(value)) as unknown as string),
      rows: rows => rows.map(row => Number(row.n)),
    }
  },
)

/** An order with where it ends: as a number of the statement itself, which SQLite plans better than one that is given. */
const ended = (order: string, { limit, offset = false }: { limit: number; offset?: boolean }): string =>
  `${order} limit ${limit}${offset ? ' offset ?' : ''}`

export type ListShape = {
  /** All that hold together; empty for every entry of the datatype. */
  tests: TestShape[]
  /** Few entries, so that the statement begins with them. */
  source: SourceShape | false
  /** Whether entries of all datatypes are looked at; they need a source. Then no value stands for the datatype. */
  anyDatatype: boolean
  sorts: SortShape[]
  /** False for the first page. */
  after: AfterShape | false
  limit: number
  offset: boolean
}

/**
 * Entries of a datatype that pass the tests, in their order. Values: those of the sorts, the datatype, those of the
 * source, of the tests, of `after`, the offset.
 */
export const listEntries = bySpace((space: ContentSpace, shape: ListShape): Query<string, Listed> => {
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

/** What a statement in pieces gives of an entry that it looks at. */
export interface Candidate extends Rows {
  passes: boolean
}

export type CandidateShape = Omit<ListShape, 'limit' | 'offset'> & {
  /** In the order of the sorts, which must be one that an index has. */
  ordered: boolean
}

/**
 * Entries of a datatype that pass the tests, and some of the others, so that the statement can be stopped wherever it is.
 * Values: those of the tests, of the sorts, the datatype, those of the source, of `after`.
 */
export const candidates = bySpace(
  (space: ContentSpace, shape: CandidateShape): RowsQuery<string, Candidate> => {
    const { joins, where, order, keys } = listSql(space, { ...shape, tests: [], limit: 0, offset: false })
    const passes = passesSql(space, shape.tests)
    return candidateQuery({
      from: `${space.publicEntries.name} e${joins}`,
      columns: ['e.content_data_id as id', passes, ...keys],
      where,
      order: shape.ordered ? order : undefined,
    })
  },
)

/**
 * The same in the order of one field, as `walkEntries`. The entry itself is read where a test is about it, or all tests
 * are passed. Values: those of the tests, the datatype, then as there.
 */
export const walkCandidates = bySpace(
  (space: ContentSpace, { tests, ...shape }: Omit<WalkShape, 'limit'>): RowsQuery<string, Candidate> => {
    const { column, where, direction } = walkSql(shape)
    const [values, entries] = [space.publicValues.name, space.publicEntries.name]
    const id = 's.content_data_id'
    const isOfDatatype = `exists (select 1 from ${entries} o where o.content_data_id = ${id} and o.datatype_id = ?)`
    const isJoined = tests.some(isAboutEntry)
    return candidateQuery({
      from: `${values} s${isJoined ? ` cross join ${entries} e` : ''}`,
      columns: [
        `${id} as id`,
        passesSql(space, tests, { owner: isJoined ? 'e' : 's', last: isOfDatatype }),
        `${column} as k0`,
      ],
      where: isJoined ? `${id} = e.content_data_id and ${where}` : where,
      order: `${column} ${direction}, ${id} ${direction}`,
    })
  },
)

/**
 * Entries that have a value in a field, with whether a text is in it. The key answers for a value of less than
 * `keyLength` characters, so that an index has all that is read. Values: the text, once more, the field, the locales.
 */
export const holders = bySpace(
  (space: ContentSpace, locales: number, keyLength: number): RowsQuery<string, Candidate> => {
    return candidateQuery({
      from: `${space.publicValues.name} d`,
      columns: [
        'd.content_data_id as id',
        `case when ${containsSql('d.text_key')} then 1 when length(d.text_key) < ${keyLength} then 0 when ${containsSql('d.field_value')} then 1 else 0 end as passes`,
      ],
      where: `d.field_id = ? and d.locale ${oneOf(locales)} and d.position = 0`,
      order: undefined,
    })
  },
)

/** Routes, with whether they pass. Values: those of the test. */
export const routesPassing = bySpace(
  (space: ContentSpace, shape: RouteShape): RowsQuery<string, Candidate> => {
    const passes = columnSql(`r.${shape.column}`, shape)
    return candidateQuery({
      from: `${space.routes.name} r`,
      columns: ['r.route_id as id', `case when ${passes} then 1 else 0 end as passes`],
      where: '1 = 1',
      order: undefined,
    })
  },
)

function passesSql(
  space: ContentSpace,
  tests: readonly TestShape[],
  { owner = 'e', last }: { owner?: string; last?: string } = {},
): string {
  const naming = { space, next: 100 }
  const clauses = tests.map(test => `(${sqlOf(test, owner, naming)})`)
  if (last !== undefined) clauses.push(last)
  return clauses.length === 0
    ? '1 as passes'
    : `case when ${clauses.join(' and ')} then 1 else 0 end as passes`
}

/** One row in eight, by the last digit of its id: a row costs more than what is found out of it (docs/performance.md). */
const oneInEight = (id: string) => `substr(${id}, -1) < '4'`

/** Rows that pass, and of the others so many that the statement can be stopped soon. */
function candidateQuery({
  columns,
  from,
  where,
  order,
}: Record<'from' | 'where', string> & {
  columns: readonly string[]
  order: string | undefined
}): RowsQuery<string, Candidate> {
  const ordered = order === undefined ? '' : ` order by ${order}`
  // A limit keeps SQLite from taking both statements for one, and finding out twice whether a row passes.
  const inner = `select ${columns.join(', ')} from ${from} where ${where}${ordered} limit ${Number.MAX_SAFE_INTEGER}`
  const placed = names(placesIn(inner))
  return {
    values: placed,
    build: (knex, value) =>
      knex
        .select('*')
        .from(knex.raw(`(${inner}) c`, placed.map(value)) as unknown as string)
        .whereRaw(`c.passes = 1 or ${oneInEight('c.id')}`),
    rows: rows =>
      rows.map(({ id, passes, ...keys }) => ({
        id: id as string,
        passes: passes === 1,
        keys: Object.values(keys) as (string | number | null)[],
      })),
  }
}

type WhereShape = Pick<ListShape, 'tests' | 'source' | 'anyDatatype'>

function whereOf(space: ContentSpace, { tests, source, anyDatatype }: WhereShape): string {
  const naming = { space, next: 0 }
  const clauses: string[] = []
  // Where the statement begins with few entries, the index of the datatype would be the longer way.
  if (!anyDatatype) clauses.push(source ? "coalesce(e.datatype_id, '') = ?" : 'e.datatype_id = ?')
  if (source) clauses.push(`e.content_data_id in (${sourceSql(space, source)})`)
  for (const test of tests) clauses.push(sqlOf(test, 'e', naming))
  return clauses.map(clause => `(${clause})`).join(' and ')
}

function listSql(space: ContentSpace, shape: ListShape) {
  const parts = shape.sorts.map((sort, n) => ({ ...sortParts(space, sort, n), descending: sort.descending }))
  const lastDescending = parts[0]?.descending ?? false
  const direction = (descending: boolean) => (descending ? ' desc' : '')
  const orders = parts.flatMap(({ key, nullable, descending }) => [
    ...(nullable ? [`case when ${key} is null then 1 else 0 end`] : []),
    `${key}${direction(descending)}`,
  ])
  // Behind the id nothing is left to decide, and to name it twice would sort what comes in its order.
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
  descending: boolean
  after: boolean
  limit: number
}

/**
 * The same in the order of one field in one locale, from its index, without the entries that have no value there.
 * Values: the field, the locale, the key and the key and the id to begin after, the datatype, those of the tests.
 */
export const walkEntries = bySpace((space: ContentSpace, shape: WalkShape): Query<string, Listed> => {
  const { column, where: place, direction } = walkSql(shape)
  const { limit, tests } = shape
  const where = `${place} and ${whereOf(space, { tests, source: false, anyDatatype: false })}`
  const placed = names(placesIn(where))
  return {
    values: placed,
    // A cross join makes SQLite begin with the index of the values.
    build: (knex, value) =>
      knex(`${space.publicValues.name} as s`)
        .crossJoin(knex.raw('?? as ??', [space.publicEntries.name, 'e']) as unknown as Knex.Raw)
        .select(knex.raw([...listed, `${column} as k0`].join(', ')))
        .whereRaw(`s.content_data_id = e.content_data_id and ${where}`, placed.map(value))
        .orderByRaw(ended(`${column} ${direction}, s.content_data_id ${direction}`, { limit })),
    rows: rows => rows.map(row => asListed(row, [row.k0 as string | number])),
  }
})

function walkSql({ key, descending, after }: Omit<WalkShape, 'tests' | 'limit'>) {
  const column = `s.${key}_key`
  const sign = descending ? '<' : '>'
  const where = [
    // Only the value itself has a number, and the index of numbers has no positions.
    `s.field_id = ? and s.locale = ? and ${key === 'number' ? `${column} is not null` : `s.position = 0 and ${column} > ''`}`,
    ...(after ? [`(${column} ${sign} ? or (${column} = ? and s.content_data_id ${sign} ?))`] : []),
  ].join(' and ')
  return { column, where, direction: descending ? 'desc' : 'asc' }
}

/** How many entries of a datatype pass the tests. Values: the datatype, those of the source, of the tests. */
export const countEntries = bySpace((space: ContentSpace, shape: WhereShape): Query<string, number> => {
  const where = whereOf(space, shape)
  const placed = names(placesIn(where))
  return {
    values: placed,
    build: (knex, value) =>
      knex(`${space.publicEntries.name} as e`).count({ n: '*' }).whereRaw(where, placed.map(value)),
    rows: rows => rows.map(row => Number(row.n)),
  }
})

/** Entries of datatypes that the public sees, with their trees, so many at most and in no order. Values: the ids of the datatypes. */
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
