import type { Knex } from 'knex'
import { bySpace, type ListQuery, type Query } from '../statements.js'
import type { ContentSpace } from '../tables.js'

/**
 * Reads of the public index. The shape of a statement says what is compared; the values that it compares with are
 * given in the order in which the shape names them.
 */

/** Which key of a value is compared. */
export type IndexKey = 'text' | 'number'
/** `sortable` means that there is a key to sort by. */
export type Comparison =
  | 'eq'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'in'
  | 'contains'
  | 'starts'
  | 'exists'
  | 'sortable'
export type EntryColumn = 'id' | 'published_at' | 'slug' | 'title'

/** A condition on an entry. `locales` is how many locales are looked in, the best first. */
export type TestShape =
  /** Values: the field, the locales, then what it is compared with; see `operands`. */
  | { at: 'field'; key: IndexKey; op: Comparison; count: number; long: boolean; locales: number }
  | { at: 'column'; column: EntryColumn; op: Comparison; count: number }
  /** Values: the field, the locales, then those of the test, which the entry that is referred to must pass. */
  | { at: 'relation'; locales: number; test: TestShape }
  | { at: 'not'; test: TestShape }
  | { at: 'and' | 'or'; tests: TestShape[] }

export type SortShape =
  /** Values: the field, the locales. */
  | { at: 'field'; key: IndexKey; locales: number; descending: boolean }
  | { at: 'column'; column: EntryColumn; descending: boolean }

/** What stands between the keys of the last row before and the rows after it: of each key whether it was null. */
export type AfterShape = readonly boolean[]

interface Rows {
  id: string
  keys: (string | number | null)[]
}

/** How many values a comparison takes: the text key of a long text is not all of it. */
export const operands = (op: Comparison, key: IndexKey, count: number, long: boolean): number => {
  if (op === 'exists' || op === 'sortable') return 0
  if (op === 'in') return count
  if (op === 'contains') return 1
  if (op === 'starts') return 3
  return key === 'text' && (op !== 'eq' || long) ? 2 : 1
}

const signs = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const
const marks = (n: number) => Array.from({ length: n }, () => '?').join(', ')
/** The bound of the key that belongs to a comparison of the text. */
const keyBound = { gt: '>=', gte: '>=', lt: '<=', lte: '<=' } as const

/** SQL text in which each `?` is one value, in their order. */
function comparison(alias: string, { key, op, count, long }: Extract<TestShape, { at: 'field' }>): string {
  const at = (column: string) => `${alias}.${column}`
  if (op === 'exists') return `${at('position')} = 0 and ${at('text_key')} not in ('', '[]')`
  if (op === 'sortable')
    return `${at('position')} = 0 and ${key === 'number' ? `${at('number_key')} is not null` : `${at('text_key')} > ''`}`
  if (key === 'number')
    return op === 'in'
      ? `${at('number_key')} in (${marks(count)})`
      : `${at('number_key')} ${signs[op as keyof typeof signs]} ?`
  switch (op) {
    case 'eq':
      return long ? `${at('text_key')} = ? and ${at('field_value')} = ?` : `${at('text_key')} = ?`
    case 'in':
      return `${at('text_key')} in (${marks(count)})`
    case 'contains':
      // What is cut out of a text that has it makes it another; the one way that all engines do by code points.
      return `${at('position')} = 0 and replace(${at('field_value')}, ?, '') <> ${at('field_value')}`
    case 'starts':
      return `${at('position')} = 0 and ${at('text_key')} >= ? and substr(${at('field_value')}, 1, ?) = ?`
    default:
      // An empty text is no text, so it is not less than others.
      return `${at('position')} = 0 and ${at('text_key')} > '' and ${at('text_key')} ${keyBound[op]} ? and ${at('field_value')} ${signs[op]} ?`
  }
}

/** Names of the tables, and a number for each alias. */
interface Naming {
  readonly space: ContentSpace
  next: number
}

/**
 * A test of the entry that `owner` names, as SQL text. Where several locales are looked in, the value of the best that
 * has one counts, and the values of the statement are repeated: the caller gives them in that order.
 */
function sqlOf(test: TestShape, owner: string, naming: Naming): string {
  switch (test.at) {
    case 'not':
      return `not (${sqlOf(test.test, owner, naming)})`
    case 'and':
    case 'or':
      return test.tests.map(one => `(${sqlOf(one, owner, naming)})`).join(` ${test.at} `)
    case 'column':
      return columnTest(test, owner, naming)
    case 'field':
      return inBestLocale(test.locales, owner, naming, alias => comparison(alias, test))
    case 'relation':
      return inBestLocale(test.locales, owner, naming, alias => {
        const target = `t${naming.next++}`
        const entries = naming.space.publicEntries.name
        return `exists (select 1 from ${entries} ${target} where ${target}.content_data_id = ${alias}.text_key and ${sqlOf(test.test, target, naming)})`
      })
  }
}

function inBestLocale(
  locales: number,
  owner: string,
  naming: Naming,
  condition: (alias: string) => string,
): string {
  const values = naming.space.publicValues.name
  const levels = Array.from({ length: locales }, (_, level) => {
    const alias = `v${naming.next++}`
    const of = `${alias}.content_data_id = ${owner}.content_data_id and ${alias}.field_id = ?`
    const found = `exists (select 1 from ${values} ${alias} where ${of} and ${alias}.locale = ? and ${condition(alias)})`
    if (level === 0) return found
    const better = `v${naming.next++}`
    return `(${found} and not exists (select 1 from ${values} ${better} where ${better}.content_data_id = ${owner}.content_data_id and ${better}.field_id = ? and ${better}.position = 0 and ${better}.locale in (${marks(level)})))`
  })
  return levels.length === 1 ? (levels[0] as string) : `(${levels.join(' or ')})`
}

/** Bindings of a test in several locales, in the order in which `sqlOf` takes them. */
export function inLocales<T>(field: T, locales: readonly T[], operands: readonly T[]): T[] {
  return locales.flatMap((locale, level) => [
    field,
    locale,
    ...operands,
    ...(level === 0 ? [] : [field, ...locales.slice(0, level)]),
  ])
}

function columnTest(
  { column, op, count }: Extract<TestShape, { at: 'column' }>,
  owner: string,
  naming: Naming,
) {
  const compared = (name: string) => {
    if (op === 'in') return `${name} in (${marks(count)})`
    if (op === 'exists' || op === 'sortable') return `${name} <> ''`
    if (op === 'contains') return `replace(${name}, ?, '') <> ${name}`
    if (op === 'starts') return `${name} >= ? and substr(${name}, 1, ?) = ?`
    return `${name} ${signs[op]} ?`
  }
  if (column === 'id') return compared(`${owner}.content_data_id`)
  if (column === 'published_at') return compared(`${owner}.published_at`)
  const alias = `r${naming.next++}`
  return `exists (select 1 from ${naming.space.routes.name} ${alias} where ${alias}.route_id = ${owner}.route_id and ${compared(`${alias}.${column}`)})`
}

/** How many values a column's comparison takes. */
export const columnOperands = (op: Comparison, count: number): number =>
  op === 'exists' || op === 'sortable' ? 0 : op === 'in' ? count : op === 'starts' ? 3 : 1

/** Up to `most` entries have a value that passes: how many, at most one more than that. Values as of the test. */
export const howMany = bySpace(
  (space: ContentSpace, test: Extract<TestShape, { at: 'field' }>, most: number): Query<string, number> => {
    const values = names(2 + operands(test.op, test.key, test.count, test.long))
    return {
      values,
      build: (knex, value) =>
        knex.count({ n: '*' }).from(
          knex(`${space.publicValues.name} as d`)
            .select(knex.raw('1 as one'))
            .whereRaw(`d.field_id = ? and d.locale = ? and ${comparison('d', test)}`, values.map(value))
            .limit(most + 1)
            .as('p'),
        ),
      rows: rows => rows.map(row => Number(row.n)),
    }
  },
)

const names = (n: number): string[] => Array.from({ length: n }, (_, i) => `v${i}`)
/** How many values a shape has: one for each `?` of its text. */
const placesIn = (sql: string): number => sql.split('?').length - 1

/** How a sort key is joined and what it is. */
function sortParts(space: ContentSpace, sort: SortShape, n: number) {
  if (sort.at === 'column') {
    const { column } = sort
    if (column === 'id' || column === 'published_at')
      return { joins: '', key: `e.${column === 'id' ? 'content_data_id' : column}`, nullable: false }
    return {
      joins: ` left join ${space.routes.name} r${n} on r${n}.route_id = e.route_id`,
      key: `r${n}.${column}`,
      nullable: true,
    }
  }
  const aliases = Array.from({ length: sort.locales }, (_, level) => `s${n}_${level}`)
  const keyOf = (alias: string) =>
    sort.key === 'number' ? `${alias}.number_key` : `nullif(${alias}.text_key, '')`
  const joins = aliases.map(
    alias =>
      ` left join ${space.publicValues.name} ${alias} on ${alias}.content_data_id = e.content_data_id and ${alias}.field_id = ? and ${alias}.locale = ? and ${alias}.position = 0`,
  )
  const cases = aliases.map(alias => `when ${alias}.position is not null then ${keyOf(alias)}`)
  return {
    joins: joins.join(''),
    key: aliases.length === 1 ? keyOf(aliases[0] as string) : `case ${cases.join(' ')} end`,
    nullable: true,
  }
}

type SortPart = ReturnType<typeof sortParts> & { descending: boolean }

/** What comes after the row with these keys: missing ones are last, whatever the direction. */
function afterSql(parts: readonly SortPart[], after: AfterShape, lastDescending: boolean): string {
  const clauses: string[] = []
  const equal: string[] = []
  for (const [i, { key, nullable, descending }] of parts.entries()) {
    const sign = descending ? '<' : '>'
    if (!after[i]) {
      const beyond = nullable ? `(${key} ${sign} ? or ${key} is null)` : `${key} ${sign} ?`
      clauses.push([...equal, beyond].join(' and '))
    }
    equal.push(after[i] ? `${key} is null` : `${key} = ?`)
  }
  clauses.push([...equal, `e.content_data_id ${lastDescending ? '<' : '>'} ?`].join(' and '))
  return `(${clauses.map(clause => `(${clause})`).join(' or ')})`
}

/** The values of `afterSql` in their order. */
export function afterValues<T>(keys: readonly (T | null)[], id: T): T[] {
  const values: T[] = []
  const equal: T[] = []
  for (const key of keys) {
    if (key === null) continue
    values.push(...equal, key)
    equal.push(key)
  }
  return [...values, ...equal, id]
}

export type ListShape = {
  /** All that hold together; empty for every entry of the datatype. */
  tests: TestShape[]
  /** The first of the tests is passed by few entries, so that the statement begins with them. */
  few: boolean
  sorts: SortShape[]
  /** False for the first page. */
  after: AfterShape | false
  limit: number
  offset: boolean
}

/**
 * Entries of a datatype that pass the tests, in their order. Values: those of the sorts, the datatype, those of the
 * tests, those of `after`, the offset.
 */
export const listEntries = bySpace((space: ContentSpace, shape: ListShape): Query<string, Rows> => {
  const { joins, where, order, keys } = listSql(space, shape)
  const placed = names(placesIn(joins) + placesIn(where) + (shape.offset ? 1 : 0))
  return {
    values: placed,
    build: (knex, value) => {
      const [joined, rest] = [placesIn(joins), placed.map(value)]
      const query = knex
        .select(knex.raw(['e.content_data_id as id', ...keys].join(', ')))
        .from(knex.raw(`${space.publicEntries.name} e${joins}`, rest.slice(0, joined)) as unknown as string)
        .whereRaw(where, rest.slice(joined, joined + placesIn(where)))
        .orderByRaw(order)
        .limit(shape.limit)
      return shape.offset ? query.offset(knex.raw('?', [rest.at(-1) as string]) as unknown as number) : query
    },
    rows: rows =>
      rows.map(row => ({
        id: row.id as string,
        keys: keys.map((_, i) => row[`k${i}`] as string | number | null),
      })),
  }
})

function whereOf(space: ContentSpace, { tests, few }: Pick<ListShape, 'tests' | 'few'>): string {
  const naming = { space, next: 0 }
  // Where few entries pass the first test, the index of the datatype would be the longer way.
  const datatype = few ? "coalesce(e.datatype_id, '') = ?" : 'e.datatype_id = ?'
  const [first, ...others] = tests
  const clauses = [datatype]
  if (first)
    clauses.push(
      few && first.at === 'field'
        ? `e.content_data_id in (select d.content_data_id from ${space.publicValues.name} d where d.field_id = ? and d.locale = ? and ${comparison('d', first)})`
        : sqlOf(first, 'e', naming),
    )
  for (const test of others) clauses.push(sqlOf(test, 'e', naming))
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
  const where = whereOf(space, shape)
  return {
    joins: parts.map(({ joins }) => joins).join(''),
    where: shape.after ? `${where} and ${afterSql(parts, shape.after, lastDescending)}` : where,
    order: [...orders, `e.content_data_id${direction(lastDescending)}`].join(', '),
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
export const walkEntries = bySpace((space: ContentSpace, shape: WalkShape): Query<string, Rows> => {
  const { key, descending, after, tests, limit } = shape
  const column = `s.${key}_key`
  const sign = descending ? '<' : '>'
  const where = [
    `s.field_id = ? and s.locale = ? and s.position = 0 and ${key === 'number' ? `${column} is not null` : `${column} > ''`}`,
    ...(after ? [`(${column} ${sign} ? or (${column} = ? and s.content_data_id ${sign} ?))`] : []),
    whereOf(space, { tests, few: false }),
  ].join(' and ')
  const placed = names(placesIn(where))
  const direction = descending ? 'desc' : 'asc'
  return {
    values: placed,
    // A cross join makes SQLite begin with the index of the values.
    build: (knex, value) =>
      knex(`${space.publicValues.name} as s`)
        .crossJoin(knex.raw('?? as ??', [space.publicEntries.name, 'e']) as unknown as Knex.Raw)
        .select(knex.raw(`e.content_data_id as id, ${column} as k0`))
        .whereRaw(`s.content_data_id = e.content_data_id and ${where}`, placed.map(value))
        .orderByRaw(`${column} ${direction}, s.content_data_id ${direction}`)
        .limit(limit),
    rows: rows => rows.map(row => ({ id: row.id as string, keys: [row.k0 as string | number] })),
  }
})

/** How many entries of a datatype pass the tests. Values: the datatype, those of the tests. */
export const countEntries = bySpace(
  (space: ContentSpace, shape: Pick<ListShape, 'tests' | 'few'>): Query<string, number> => {
    const where = whereOf(space, shape)
    const placed = names(placesIn(where))
    return {
      values: placed,
      build: (knex, value) =>
        knex(`${space.publicEntries.name} as e`).count({ n: '*' }).whereRaw(where, placed.map(value)),
      rows: rows => rows.map(row => Number(row.n)),
    }
  },
)

/** Texts and slugs of entries, by which they are called. */
export const namingValues = bySpace(
  (
    space: ContentSpace,
  ): ListQuery<{ content_data_id: string; field_id: string; locale: string; field_value: string }> => ({
    build: (knex, values) =>
      knex(`${space.publicValues.name} as v`)
        .join(`${space.fields.name} as d`, 'd.field_id', 'v.field_id')
        .select([
          'v.content_data_id as v_id',
          'v.field_id as v_field',
          'v.locale as v_locale',
          'v.field_value as v_value',
        ])
        .whereIn('v.content_data_id', values)
        .where('v.position', 0)
        .whereIn('d.field_type', ['text', 'slug'])
        .orderBy(['v.content_data_id', 'v.field_id', 'v.locale']),
    lists: rows =>
      rows.map(row => ({
        content_data_id: row[0] as string,
        field_id: row[1] as string,
        locale: row[2] as string,
        field_value: row[3] as string,
      })),
  }),
)
