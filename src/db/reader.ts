import { isUlid } from '../ids.js'
import { Turns } from '../turns.js'
import type { AllowanceOf } from './allowance.js'
import { batchLengths, chunks, fewRows, inBatches, maxBatchBytes, maxListLength } from './batches.js'
import {
  type AnyColumn,
  type AnyTable,
  decoder,
  encode,
  type RowOf,
  type Scalar,
  type WhereOf,
} from './columns.js'
import type { RawRow, Session } from './dialects/dialect.js'
import type { Terms } from './full-text.js'
import {
  bind,
  type ListQuery,
  longColumns,
  type Query,
  type RowsQuery,
  type SelectShape,
  type SizedKey,
  type Statement,
  type Statements,
  selectFrom,
} from './statements.js'

export interface Slice {
  limit?: number | undefined
  offset?: number | undefined
  after?: string | undefined
  /** True to order from the greatest key to the least; ids are in the order of their creation. */
  newestFirst?: boolean | undefined
}

type Selection = Slice & { order?: string; lock?: SelectShape['lock'] }

const decoders = new WeakMap<AnyTable, (row: Record<string, unknown>) => unknown>()
function decoderOf<T extends AnyTable>(table: T): (row: Record<string, unknown>) => RowOf<T> {
  let decode = decoders.get(table)
  if (!decode) {
    decode = decoder(table)
    decoders.set(table, decode)
  }
  return decode as (row: Record<string, unknown>) => RowOf<T>
}

export interface Conditions {
  readonly shape: SelectShape['where']
  readonly values: Scalar[]
  /** An empty list was given, or only text that no row can hold: nothing can match. */
  readonly impossible: boolean
}

const holdsNull = (value: unknown) => typeof value === 'string' && value.includes('\0')

/**
 * Tells if a statement can ask for the text at all: no column holds a NUL, and an id is compared with ASCII only. Where
 * one engine fails, the others would find nothing.
 */
const canBeAsked = ({ kind }: Pick<AnyColumn, 'kind'>, value: unknown): boolean =>
  !holdsNull(value) && (kind !== 'id' || typeof value !== 'string' || /^[\x21-\x7e]*$/.test(value))

export function conditions(table: AnyTable, where: Record<string, unknown>): Conditions {
  const shape: [string, number][] = []
  const values: Scalar[] = []
  let impossible = false
  for (const [name, value] of Object.entries(where)) {
    const column = table.columns[name]
    if (!column) throw new Error(`${table.name} has no column ${name}`)
    if (value === undefined) continue
    const given = value === null ? [] : Array.isArray(value) ? value : [value]
    const list = given.filter(one => canBeAsked(column, one))
    const isNoId = column.kind === 'id' && list.length === 1 && !isUlid(list[0])
    if (value !== null && (list.length === 0 || isNoId)) impossible = true
    shape.push([name, list.length])
    for (const one of list) values.push(encode(column, one))
  }
  return { shape, values, impossible }
}

/** From this offset on, the key of the row before is read first: an index has the keys alone. */
const deepOffset = 500

/** Reads, in or outside a transaction. Lists always say their order. */
export class Reader {
  constructor(
    protected readonly statements: Statements,
    protected readonly session: Session,
  ) {}

  protected all(statement: Statement, values: readonly Scalar[]) {
    return this.session.all(statement.sql, bind(statement, values))
  }

  async get<T extends AnyTable>(table: T, key: string): Promise<RowOf<T> | undefined> {
    return this.find(table, { [table.key]: key } as WhereOf<T>)
  }

  async find<T extends AnyTable>(table: T, where: WhereOf<T>): Promise<RowOf<T> | undefined> {
    const [row] = await this.select(table, where, { limit: 1 })
    return row
  }

  async findAll<T extends AnyTable>(
    table: T,
    where: WhereOf<T> = {} as WhereOf<T>,
    slice: Slice & { order?: keyof T['columns'] & string } = {},
  ): Promise<RowOf<T>[]> {
    return this.select(table, where, slice)
  }

  async findIn<T extends AnyTable>(
    table: T,
    column: keyof T['columns'] & string,
    values: readonly string[],
  ): Promise<RowOf<T>[]> {
    const found: RowOf<T>[] = []
    const turns = new Turns()
    for (const some of chunks(values)) {
      found.push(...(await this.select(table, { [column]: some } as WhereOf<T>, {})))
      // SQLite answers within the call, so that nothing else would have its turn between the pieces.
      if (some.length === maxListLength) await turns.next()
    }
    return found
  }

  /** Returns how many rows there are; at most `limit`. */
  async count<T extends AnyTable>(
    table: T,
    where: WhereOf<T> = {} as WhereOf<T>,
    limit?: number,
  ): Promise<number> {
    const { shape, values, impossible } = conditions(table, where)
    if (impossible) return 0
    const statement = selectFrom(this.statements, table, { where: shape, count: true, limit })
    const [row] = await this.all(statement, values)
    return Number(row?.n ?? 0)
  }

  /** The number of rows of a table. */
  countAll(table: AnyTable): Promise<number> {
    return this.count(table)
  }

  async exists<T extends AnyTable>(table: T, where: WhereOf<T>): Promise<boolean> {
    // Finding the first row would sort all of them.
    return (await this.count(table, where, 1)) === 1
  }

  async query<N extends string, R>(query: Query<N, R>, values: Record<N, Scalar>): Promise<R[]> {
    if (Object.values(values).some(holdsNull)) return []
    const statement = this.statements.ofQuery(query)
    const bindings = bind(
      statement,
      query.values.map(name => values[name]),
    )
    return 'lists' in query
      ? query.lists(await this.session.lists(statement.sql, bindings))
      : query.rows(await this.session.all(statement.sql, bindings))
  }

  /**
   * `query` for a statement that may look at every row. It blocks no other statement and ends in bounded time.
   * @param allowanceOf what the statement may take, together with others of the same caller
   * @throws 503 when too many do this at once or it takes too long, and the refusal of what it is allowed
   */
  async boundedQuery<N extends string, R>(
    query: RowsQuery<N, R>,
    values: Record<N, Scalar>,
    allowanceOf?: AllowanceOf,
  ): Promise<R[]> {
    const { session } = this
    if (!session.bounded || Object.values(values).some(holdsNull)) return this.query(query, values)
    const statement = this.statements.ofQuery(query)
    const bindings = bind(
      statement,
      query.values.map(name => values[name]),
    )
    return query.rows(await session.bounded(statement.sql, bindings, allowanceOf))
  }

  wordsFor(terms: Terms): string {
    return this.statements.fullText.expression(terms)
  }

  async queryIn<R>(query: ListQuery<R>, values: readonly string[]): Promise<R[]> {
    const found: R[] = []
    for (const some of chunks(values.filter(value => !holdsNull(value)))) {
      const statement = this.statements.ofList(query, some.length)
      found.push(...query.lists(await this.session.lists(statement.sql, bind(statement, some))))
    }
    return found
  }

  /** Every row in the order of the key, or against it, read in batches that are bounded by rows and by bytes. */
  async *stream<T extends AnyTable>(
    table: T,
    where: WhereOf<T>,
    slice: Slice = {},
  ): AsyncGenerator<RowOf<T>[]> {
    let { after, offset = 0 } = slice
    if (offset >= deepOffset) {
      const [before] = await this.selectRows(table, where, {
        ...slice,
        limit: 1,
        offset: offset - 1,
        only: 'key',
      })
      if (!before) return
      after = before[table.key] as string
      offset = 0
    }
    for (let left = slice.limit ?? Number.POSITIVE_INFINITY; left > 0; ) {
      const asked = Math.min(left, maxListLength)
      const lengths = await this.batchLengths(table, where, { ...slice, limit: asked, offset, after })
      for (const limit of lengths) {
        const rows = (await this.select(table, where, { ...slice, limit, offset, after })).slice(0, left)
        if (rows.length > 0) yield rows
        if (rows.length < limit) return
        left -= rows.length
        offset = 0
        after = (rows.at(-1) as Record<string, unknown>)[table.key] as string
      }
      if (lengths.length === 0) return
    }
  }

  /**
   * Rows in the order of their key as queries find them, read in batches that are bounded by rows and by bytes.
   * @param keysOf keys and sizes of the next rows
   * @param rowsOf the rows with these keys; one that is gone meanwhile is left out
   */
  async *streamed<R>(
    slice: Slice,
    keysOf: (slice: Slice & { limit: number }) => Promise<readonly SizedKey[]>,
    rowsOf: (keys: readonly string[]) => Promise<R[]>,
  ): AsyncGenerator<R[]> {
    let { after, offset } = slice
    for (let left = slice.limit ?? Number.POSITIVE_INFINITY; left > 0; ) {
      const limit = Math.min(left, maxListLength)
      const found = await keysOf({ limit, offset, after })
      yield* inBatches(found, rowsOf)
      if (found.length < limit) return
      left -= found.length
      offset = undefined
      after = found.at(-1)?.key
    }
  }

  /**
   * Rows that a query has found, in its order, read in batches that are bounded by rows and by bytes. A row that is
   * gone meanwhile is left out.
   */
  sized<T extends AnyTable>(table: T, found: readonly SizedKey[]): AsyncGenerator<RowOf<T>[]> {
    return inBatches(found, async keys => {
      const rows = new Map<unknown, RowOf<T>>()
      for (const row of await this.findIn(table, table.key, keys))
        rows.set((row as Record<string, unknown>)[table.key], row)
      return keys.flatMap(key => {
        const row = rows.get(key)
        return row === undefined ? [] : [row]
      })
    })
  }

  private async batchLengths<T extends AnyTable>(
    table: T,
    where: WhereOf<T>,
    slice: Slice & { limit: number },
  ): Promise<number[]> {
    if (slice.limit <= fewRows || longColumns(table).length === 0) return [slice.limit]
    // Nearly always all of them are one batch, which one row says.
    const [all] = await this.selectRows(table, where, { ...slice, only: 'sum' })
    if (Number(all?.size ?? 0) <= maxBatchBytes) return [slice.limit]
    const rows = await this.selectRows(table, where, { ...slice, only: 'size' })
    return batchLengths(
      rows.map(({ size }) => Number(size)),
      slice.limit,
    )
  }

  protected async select<T extends AnyTable>(
    table: T,
    where: WhereOf<T>,
    selection: Selection,
  ): Promise<RowOf<T>[]> {
    const rows = await this.selectRows(table, where, selection)
    return rows.map(decoderOf(table))
  }

  private async selectRows<T extends AnyTable>(
    table: T,
    where: WhereOf<T>,
    selection: Selection & Pick<SelectShape, 'only'>,
  ): Promise<RawRow[]> {
    const { limit, offset, after, newestFirst, order, lock = false, only } = selection
    const { shape, values, impossible } = conditions(table, where as Record<string, unknown>)
    const key = table.columns[table.key]
    if (impossible || (key && !canBeAsked(key, after))) return []
    const statement = selectFrom(this.statements, table, {
      where: shape,
      order: order ? [order, table.key] : [table.key],
      after: after !== undefined,
      descending: newestFirst === true,
      limit: offset && limit === undefined ? Number.MAX_SAFE_INTEGER : limit,
      offset,
      lock,
      only,
    })
    return this.all(statement, after === undefined ? values : [...values, after])
  }
}
