import { notFound } from '../errors.js'
import { type Ids, timestamp } from '../ids.js'
import type { Clock } from '../ports.js'
import { Turns } from '../turns.js'
import { chunks } from './batches.js'
import { Changes } from './changes.js'
import type { AnyTable, Exact, InsertOf, PatchOf, RowOf, WhereOf } from './columns.js'
import type { Dialect, Session } from './dialects/dialect.js'
import type { Part } from './part.js'
import { Reader } from './reader.js'
import { completeRow, given, type Row } from './rows.js'
import { bind, type Statements, selectFrom } from './statements.js'
import { internalTables } from './tables.js'

type InternalTable = AnyTable & { readonly audited?: never }

export interface TransactionSettings {
  clock: Clock
  ids: Ids
}

/** The abilities of every transaction: read, hold rows, and change internal tables, which leave no audit event. */
export class Transaction extends Reader {
  readonly now: string
  /** When the rows that it changes were changed last, as they show it. */
  protected changedAt: string
  protected readonly changes: Changes
  /** SQLite works in this process, and a long transaction would keep everybody waiting. */
  protected readonly turns = new Turns()

  constructor(
    dialect: Dialect,
    statements: Statements,
    session: Session,
    private readonly settings: TransactionSettings,
  ) {
    super(statements, session)
    this.now = timestamp(settings.clock.now())
    this.changedAt = this.now
    this.changes = new Changes(dialect, statements, session)
  }

  /**
   * The part that the caller may read, if that is not all: other rows are not found by their keys. Everything else reads the
   * whole site, because some rules hold for all of it.
   */
  protected part: Part | undefined

  /** Those of the keys whose rows the caller may read. */
  private async readable(table: AnyTable, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const { part } = this
    const isMade = (key: string) => this.hasMade(table, key)
    if (!part?.limits(table)) return new Set(keys)
    const found = new Set(keys.filter(isMade))
    for (const some of chunks(keys.filter(key => !isMade(key)))) {
      const statement = selectFrom(this.statements, table, { where: [[table.key, some.length]], only: 'key' })
      for (const row of await this.session.all(part.of(statement.sql), bind(statement, some)))
        found.add(row[table.key] as string)
    }
    return found
  }

  /** Whether the transaction itself has made the row. */
  protected hasMade(_table: AnyTable, _key: string): boolean {
    return false
  }

  /** Returns those of the rows that the caller may read. */
  private async onlyReadable<T extends AnyTable>(table: T, rows: RowOf<T>[]): Promise<RowOf<T>[]> {
    if (!this.part?.limits(table)) return rows
    const keyOf = (row: RowOf<T>) => (row as Row)[table.key] as string
    const readable = await this.readable(table, rows.map(keyOf))
    return rows.filter(row => readable.has(keyOf(row)))
  }

  override async get<T extends AnyTable>(table: T, key: string): Promise<RowOf<T> | undefined> {
    const row = await super.get(table, key)
    return row && (await this.onlyReadable(table, [row]))[0]
  }

  override async exists<T extends AnyTable>(table: T, where: WhereOf<T>): Promise<boolean> {
    if (!(await super.exists(table, where))) return false
    const key = (where as Record<string, unknown>)[table.key]
    return typeof key !== 'string' || (await this.readable(table, [key])).has(key)
  }

  newId(): string {
    return this.settings.ids.ulid()
  }

  /** The row, held against other writers until the commit. @throws 404 when there is no such row */
  async lock<T extends AnyTable>(table: T, key: string): Promise<RowOf<T>> {
    const rows = await this.select(table, { [table.key]: key } as WhereOf<T>, { limit: 1, lock: true })
    const [row] = await this.onlyReadable(table, rows)
    if (!row) throw notFound()
    return row
  }

  /** Holds a row for several sharers, who need not wait for each other; whoever locks it waits for all of them. */
  async share<T extends AnyTable>(table: T, key: string): Promise<void> {
    const where = { [table.key]: key } as WhereOf<T>
    const rows = await this.select(table, where, { limit: 1, lock: 'shared' })
    if ((await this.onlyReadable(table, rows)).length === 0) throw notFound()
  }

  async lockAll<T extends AnyTable>(table: T, where: WhereOf<T>): Promise<RowOf<T>[]> {
    return this.onlyReadable(table, await this.select(table, where, { lock: true }))
  }

  async lockIn<T extends AnyTable>(
    table: T,
    column: keyof T['columns'] & string,
    values: readonly string[],
  ): Promise<RowOf<T>[]> {
    const held: RowOf<T>[] = []
    await this.inPieces(values, async some => {
      held.push(...(await this.lockAll(table, { [column]: some } as WhereOf<T>)))
    })
    return held
  }

  async insertInternal<T extends InternalTable, V extends InsertOf<T>>(
    table: T,
    row: Exact<V, InsertOf<T>>,
  ): Promise<void> {
    await this.insertAllInternal(table, [row])
  }

  async insertAllInternal<T extends InternalTable, V extends InsertOf<T>>(
    table: T,
    rows: readonly Exact<V, InsertOf<T>>[],
  ): Promise<void> {
    await this.inPieces(rows, some =>
      this.changes.insert(
        table,
        some.map(row => this.complete(table, row as Row)),
      ),
    )
  }

  /** Removes a row. @returns false if it is missing; of two transactions that try at once, one gets true */
  async deleteInternal<T extends InternalTable>(table: T, key: string): Promise<boolean> {
    const [row] = await this.select(table, { [table.key]: key } as WhereOf<T>, { limit: 1, lock: true })
    if (row) await this.changes.deleteIn(table, table.key, [key])
    return row !== undefined
  }

  async deleteAllInternal<T extends InternalTable>(
    table: T,
    column: keyof T['columns'] & string,
    values: readonly string[],
  ): Promise<void> {
    await this.inPieces(values, some => this.changes.deleteIn(table, column, some))
  }

  /** Changes such rows. Their own state is all they have, so it leaves no audit event. */
  async updateInternal<T extends InternalTable, P extends PatchOf<T>>(
    table: T,
    keys: readonly string[],
    patch: Exact<P, PatchOf<T>>,
  ): Promise<void> {
    await this.changes.updateIn(table, table.key, keys, given(table, patch as Row))
  }

  /** True for the first caller that names this seed on this database: only that one seeds. */
  async claimSeed(name: string): Promise<boolean> {
    if (await this.exists(internalTables.seeds, { name })) return false
    await this.changes.insert(internalTables.seeds, [{ name }])
    return true
  }

  protected async inPieces<T>(
    list: readonly T[],
    work: (some: readonly T[]) => Promise<void> | void,
  ): Promise<void> {
    for (const some of chunks(list)) {
      await this.turns.next()
      await work(some)
    }
  }

  protected complete(table: AnyTable, values: Row): Row {
    return completeRow(table, values, { now: this.now, changedAt: this.changedAt }, this.settings.ids)
  }
}
