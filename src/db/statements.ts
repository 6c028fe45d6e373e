import type { Knex } from 'knex'
import type { AnyTable, Kind, Scalar } from './columns.js'
import { type FullText, noFullText } from './full-text.js'
import type { ContentSpace } from './tables.js'

/** SQL text built once for its shape, and which value goes to which of its places. */
export interface Statement {
  readonly sql: string
  readonly places: readonly (number | { readonly constant: Scalar })[]
}

type Place = (n: number) => string
type Build = (knex: Knex, place: Place) => Knex.QueryBuilder

const placeMark = '\u0001'
const place: Place = n => `${placeMark}${n}`

/** How many statements are cached: callers can vary limits and long lists, which must not fill memory. */
const maxShapes = 1000

/** Knex builds every statement, once for each shape; afterwards only the values change. */
export class Statements {
  private readonly ofShapes = new Map<string, Statement>()
  private readonly ofQueries = new WeakMap<object, Statement>()
  private readonly ofLists = new WeakMap<object, Map<number, Statement>>()

  constructor(
    private readonly knex: Knex,
    readonly fullText: FullText = noFullText,
  ) {}

  /** @param shape everything that `build` depends on */
  of(shape: string, build: Build): Statement {
    const known = this.ofShapes.get(shape)
    if (known) return known
    const statement = this.build(build)
    if (this.ofShapes.size >= maxShapes) this.ofShapes.clear()
    this.ofShapes.set(shape, statement)
    return statement
  }

  /** Found by the query itself: no name stands for it that another query could have too. */
  ofQuery<N extends string, R>(query: Query<N, R>): Statement {
    const known = this.ofQueries.get(query)
    if (known) return known
    const statement = this.build((knex, place) =>
      query.build(
        knex,
        name => {
          const at = query.values.indexOf(name)
          if (at < 0) throw new Error(`a query has no value ${name}`)
          return place(at)
        },
        this.fullText,
      ),
    )
    this.ofQueries.set(query, statement)
    return statement
  }

  /** @param length how many values the list has; callers bound it */
  ofList<R>(query: ListQuery<R>, length: number): Statement {
    const lengths = this.ofLists.get(query) ?? new Map<number, Statement>()
    const known = lengths.get(length)
    if (known) return known
    const statement = this.build((knex, place) =>
      query.build(
        knex,
        Array.from({ length }, (_, i) => place(i)),
      ),
    )
    this.ofLists.set(query, lengths.set(length, statement))
    return statement
  }

  private build(build: Build): Statement {
    const { sql, bindings } = build(this.knex, place).toSQL()
    const places = (bindings as Scalar[]).map(value =>
      typeof value === 'string' && value.startsWith(placeMark) ? Number(value.slice(1)) : { constant: value },
    )
    return { sql, places }
  }
}

export const bind = (statement: Statement, values: readonly Scalar[]): Scalar[] =>
  statement.places.map(at => (typeof at === 'number' ? (values[at] ?? null) : at.constant))

/**
 * A read that no generic method covers, with the names of its values. Defined in the files of queries, once: as a
 * constant, or by `byShape` or `bySpace`, for its statement belongs to the object.
 */
export type Query<Names extends string, R> = {
  readonly values: readonly Names[]
  readonly build: (knex: Knex, value: (name: Names) => string, fullText: FullText) => Knex.QueryBuilder
} & (
  | { readonly rows: (rows: Record<string, unknown>[]) => R[] }
  | { readonly lists: (rows: unknown[][]) => R[] }
)

/** One whose rows come as records. */
export type RowsQuery<Names extends string, R> = Extract<Query<Names, R>, { rows: unknown }>

/** A row by its key, and how many bytes its long columns have. */
export interface SizedKey {
  readonly key: string
  readonly size: number
}

/** Selects rows as such, for `Reader.sized`. */
export const sizedKeys = (knex: Knex, table: AnyTable) => [`${table.key} as key`, sizeOf(knex, table)]
export const asSizedKeys = (rows: Record<string, unknown>[]): SizedKey[] =>
  rows.map(({ key, size }) => ({ key: key as string, size: Number(size) }))

/** Turns a function for one row into one for all rows of a query. */
export const each =
  <R>(row: (row: Record<string, unknown>) => R) =>
  (rows: Record<string, unknown>[]): R[] =>
    rows.map(row)

/** A read of whatever belongs to a list of values, however many they are. Defined in the files of queries. */
export interface ListQuery<R> {
  readonly build: (knex: Knex, values: readonly string[]) => Knex.QueryBuilder
  readonly lists: (rows: unknown[][]) => R[]
}

type Shape = string | number | boolean | readonly Shape[] | { readonly [name: string]: Shape }

/**
 * Gives one query for each shape. It is made from the text that it is found by, so it depends on nothing else.
 */
export function byShape<A extends readonly Shape[], Q extends object>(
  make: (...shape: A) => Q,
): (...shape: A) => Q {
  const known = new Map<string, Q>()
  return (...shape) => {
    const key = shape.length === 0 ? '[]' : JSON.stringify(shape)
    let query = known.get(key)
    if (!query) {
      // A shape that went through JSON.stringify and JSON.parse is the same shape.
      query = make(...(JSON.parse(key) as A))
      if (known.size >= maxShapes) known.clear()
      known.set(key, query)
    }
    return query
  }
}

/** `byShape` for each content space. */
export function bySpace<A extends readonly Shape[], Q extends object>(
  make: (space: ContentSpace, ...shape: A) => Q,
): (space: ContentSpace, ...shape: A) => Q {
  const known = new WeakMap<ContentSpace, (...shape: A) => Q>()
  return (space, ...shape) => {
    let ofSpace = known.get(space)
    if (!ofSpace) {
      ofSpace = byShape((...shape: A) => make(space, ...shape))
      known.set(space, ofSpace)
    }
    return ofSpace(...shape)
  }
}

export interface SelectShape {
  /** Column names with how many values each may have; 0 means null. */
  where: readonly (readonly [column: string, values: number])[]
  order?: readonly string[]
  after?: boolean
  descending?: boolean
  limit?: number | undefined
  offset?: number | undefined
  /** `shared` lets others hold the rows too, as long as they do the same. */
  lock?: boolean | 'shared'
  count?: boolean
  /**
   * Selects of each row its key alone, or with it, as `size`, how many bytes its long columns have; `sum` of all rows
   * together.
   */
  only?: 'key' | 'size' | 'sum' | undefined
}

const longKinds: ReadonlySet<Kind> = new Set(['longtext', 'json', 'bytes'])
/** The columns whose values may be so long that a few rows are much. */
export const longColumns = (table: AnyTable): string[] =>
  Object.entries(table.columns).flatMap(([name, { kind }]) => (longKinds.has(kind) ? [name] : []))

function sizeOf(knex: Knex, table: AnyTable): Knex.Raw {
  const long = longColumns(table)
  return knex.raw(`${long.map(() => 'coalesce(octet_length(??), 0)').join(' + ')} as size`, long)
}

const whereShape = (where: SelectShape['where']) => where.map(([column, n]) => `${column}:${n}`).join()

function restrict(query: Knex.QueryBuilder, where: SelectShape['where'], place: Place): number {
  let n = 0
  for (const [column, values] of where) {
    if (values === 0) query.whereNull(column)
    else if (values === 1) query.where(column, place(n++))
    else
      query.whereIn(
        column,
        Array.from({ length: values }, () => place(n++)),
      )
  }
  return n
}

/** Counts rows; with a limit the engine stops there. */
const counted = (knex: Knex, query: Knex.QueryBuilder, limit: number | undefined) =>
  limit === undefined
    ? query.count({ n: '*' })
    : knex.count({ n: '*' }).from(query.select(knex.raw('1 as one')).limit(limit).as('counted'))

/** Values go in the order of `where`, then the key that `after` compares with. */
export function selectFrom(statements: Statements, table: AnyTable, shape: SelectShape): Statement {
  const { where, order = [table.key], after, descending, limit, offset, lock, count, only } = shape
  const key = `select ${table.name} ${whereShape(where)} ${order} ${after} ${descending} ${limit} ${offset} ${lock} ${count} ${only}`
  return statements.of(key, (knex, place) => {
    const query = knex(table.name)
    const n = restrict(query, where, place)
    if (count) return counted(knex, query, limit)
    if (only === 'key') query.select(table.key)
    else if (only) query.select(table.key, sizeOf(knex, table))
    else query.select(Object.keys(table.columns))
    if (after) query.where(table.key, descending ? '<' : '>', place(n))
    for (const column of order) query.orderBy(column, descending ? 'desc' : 'asc')
    if (limit !== undefined) query.limit(limit)
    if (offset) query.offset(offset)
    if (lock === 'shared') query.forShare()
    else if (lock) query.forUpdate()
    return only === 'sum' ? knex.sum({ size: 'size' }).from(query.as('sized')) : query
  })
}

/** Values row by row, each in the order of the table's columns. */
export function insertInto(statements: Statements, table: AnyTable, rows: number): Statement {
  return statements.of(`insert ${table.name} ${rows}`, (knex, place) => {
    const columns = Object.keys(table.columns)
    return knex(table.name).insert(
      Array.from({ length: rows }, (_, row) =>
        Object.fromEntries(columns.map((column, i) => [column, place(row * columns.length + i)])),
      ),
    )
  })
}

/**
 * A row whose key is the value of a counter. Values: those of the table's other columns in their order, then the
 * counter's name.
 */
export function insertNumbered(statements: Statements, table: AnyTable, counters: AnyTable): Statement {
  return statements.of(`insert numbered ${table.name}`, (knex, place) => {
    const others = Object.keys(table.columns).filter(name => name !== table.key)
    const values = others.map((_, i) => knex.raw('?', [place(i)]))
    const row = knex(counters.name)
      .select('value', ...values)
      .where(counters.key, place(others.length))
    const into = knex.raw(`?? (${['??', ...others.map(() => '??')].join(', ')})`, [
      table.name,
      table.key,
      ...others,
    ])
    return knex.into(into).insert(row)
  })
}

/** Values in the order of `set`, then those of `where`. */
export function updateSet(
  statements: Statements,
  table: AnyTable,
  set: readonly string[],
  where: SelectShape['where'],
): Statement {
  return statements.of(`update ${table.name} ${set} ${whereShape(where)}`, (knex, place) => {
    const query = knex(table.name)
    restrict(query, where, n => place(set.length + n))
    return query.update(Object.fromEntries(set.map((column, i) => [column, place(i)])))
  })
}

export function deleteFrom(statements: Statements, table: AnyTable, where: SelectShape['where']): Statement {
  return statements.of(`delete ${table.name} ${whereShape(where)}`, (knex, place) => {
    const query = knex(table.name)
    restrict(query, where, place)
    return query.delete()
  })
}
