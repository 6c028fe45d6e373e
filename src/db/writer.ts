import type { Actor } from '../actor.js'
import { notFound } from '../errors.js'
import type { EventData, EventName } from '../events.js'
import { type Ids, timestamp } from '../ids.js'
import type { Clock } from '../ports.js'
import { auditEvent, noteEvent, pick } from './audit.js'
import type { AnyTable, Audited, Exact, InsertOf, PatchOf, RowOf, Scalar, WhereOf } from './columns.js'
import type { Dialect, Session } from './dialects/dialect.js'
import { chunks, conditions, Reader } from './reader.js'
import { automaticChanges, completeRow, encodeIn, given } from './rows.js'
import { bind, deleteFrom, insertInto, type Statement, type Statements, updateSet } from './statements.js'
import { type ContentSpace, keptTables, type Operation, tables } from './tables.js'

type Row = Record<string, unknown>
type AuditedTable = AnyTable & Audited
type InternalTable = AnyTable & { readonly audited?: never }

/** What a transaction changed, told to listeners after its commit. */
export interface Commit {
  readonly tables: ReadonlySet<string>
  /** Roots of the content trees that changed. */
  readonly trees: ReadonlySet<string>
  /** What every page may show has changed. */
  readonly allPages: boolean
  readonly deliveries: number
}

/** The statement that a constraint of the database refused; explained after the rollback. */
export class Refused extends Error {
  constructor(
    readonly table: AnyTable,
    readonly rows: readonly Row[],
    readonly operation: Operation,
    override readonly cause: unknown,
  ) {
    super(`${operation} on ${table.name} was refused`)
  }
}

export interface WriterSettings {
  clock: Clock
  ids: Ids
  /** False while webhooks are off: then events leave no trace (6). */
  webhooksEnabled: () => boolean
}

/** At most this many values in one INSERT, which every engine takes. */
const insertValues = 2000

/**
 * The one place where rows change. Whatever goes through it leaves one audit event a row (6.6), and `emit` leaves
 * the deliveries of an event (6), all in the same transaction. Rows are ready before they are sent, so nothing is
 * read back.
 */
export class Writer extends Reader {
  /** The time of everything that the transaction does. */
  readonly now: string
  private readonly audits: InsertOf<typeof keptTables.auditEvents>[] = []
  private readonly deliveries: InsertOf<typeof keptTables.webhookDeliveries>[] = []
  private readonly changedTables = new Set<string>()
  private readonly trees = new Set<string>()
  private allPages = false
  private subscribers: RowOf<typeof tables.webhooks>[] | undefined
  /** By how many rows each table grew. */
  readonly growth = new Map<string, number>()

  constructor(
    private readonly dialect: Dialect,
    statements: Statements,
    session: Session,
    private readonly actor: Actor,
    private readonly settings: WriterSettings,
  ) {
    super(statements, session)
    this.now = timestamp(settings.clock.now())
  }

  async insert<T extends AuditedTable, V extends InsertOf<T>>(
    table: T,
    values: Exact<V, InsertOf<T>>,
  ): Promise<RowOf<T>> {
    const [row] = await this.insertAll(table, [values])
    return row as RowOf<T>
  }

  async insertAll<T extends AuditedTable, V extends InsertOf<T>>(
    table: T,
    list: readonly Exact<V, InsertOf<T>>[],
  ): Promise<RowOf<T>[]> {
    const rows = list.map(values => this.complete(table, values as Row))
    await this.store(table, rows)
    for (const row of rows) this.audit(table, 'INSERT', undefined, row)
    this.changed(table, rows.length)
    return rows as RowOf<T>[]
  }

  /**
   * @param check may refuse what it is about to change
   * @returns the row before and after. A patch that changes nothing leaves nothing behind, not even a new date.
   * @throws 404 when there is no such row
   */
  async update<T extends AuditedTable, P extends PatchOf<T>>(
    table: T,
    key: string,
    patch: Exact<P, PatchOf<T>>,
    check?: (before: RowOf<T>) => void | Promise<void>,
  ): Promise<{ before: RowOf<T>; after: RowOf<T>; changed: boolean }> {
    const before = await this.lock(table, key)
    await check?.(before)
    const changes: Row = {}
    for (const [name, value] of Object.entries(given(table, patch as Row)))
      if (encodeIn(table, name, value) !== encodeIn(table, name, (before as Row)[name])) changes[name] = value
    const names = Object.keys(changes)
    if (names.length === 0) return { before, after: before, changed: false }
    const silent = names.every(name => table.columns[name]?.flags.silent)
    if (!silent) Object.assign(changes, automaticChanges(table, before as Row, this.now))
    const after = { ...(before as Row), ...changes }
    const set = Object.keys(changes)
    const statement = updateSet(this.statements, table, set, [[table.key, 1]])
    await this.send(table, [after], 'UPDATE', statement, [
      ...set.map(name => encodeIn(table, name, changes[name])),
      key,
    ])
    if (!silent) {
      this.audit(table, 'UPDATE', pick(before as Row, names), pick(after, names), key)
      this.changed(table, 0)
    }
    return { before, after: after as RowOf<T>, changed: true }
  }

  /** An id for a row that must know it before it is stored. */
  newId(): string {
    return this.settings.ids.ulid()
  }

  /** Sets silent columns of all rows whose `column` has one of the values, without audit events. */
  async setSilently<T extends AuditedTable, P extends PatchOf<T>>(
    table: T,
    column: keyof T['columns'] & string,
    values: readonly string[],
    patch: Exact<P, PatchOf<T>>,
  ): Promise<void> {
    const changes = given(table, patch as Row)
    if (!Object.keys(changes).every(name => table.columns[name]?.flags.silent))
      throw new Error('only silent columns are set silently')
    for (const some of chunks(values)) await this.setAll(table, changes, column, some)
  }

  /** @throws 404 when there is no such row, 409 when others still refer to it */
  async remove<T extends AuditedTable>(
    table: T,
    key: string,
    check?: (before: RowOf<T>) => void | Promise<void>,
  ): Promise<RowOf<T>> {
    const before = await this.lock(table, key)
    await check?.(before)
    await this.removeAll(table, [before])
    return before
  }

  /** Removes rows that this transaction holds, each with its audit event. */
  async removeAll<T extends AuditedTable>(table: T, rows: readonly RowOf<T>[]): Promise<void> {
    const keys = rows.map(row => (row as Row)[table.key] as string)
    // MySQL checks references row by row, so rows that refer to each other let go first.
    const toItself = Object.keys(table.columns).filter(
      name => table.columns[name]?.flags.references === table.name,
    )
    if (keys.length > 1 && toItself.length > 0)
      for (const some of chunks(keys))
        await this.setAll(table, Object.fromEntries(toItself.map(name => [name, null])), table.key, some)
    for (const some of chunks(keys)) {
      const statement = deleteFrom(this.statements, table, [[table.key, some.length]])
      const gone = some.map(key => ({ [table.key]: key }))
      await this.send(table, gone, 'DELETE', statement, some)
    }
    for (const row of rows) this.audit(table, 'DELETE', row as Row, undefined)
    this.changed(table, -rows.length)
  }

  /** Stores a row that is no record, such as a lease; it leaves no audit event. */
  async keep<T extends InternalTable, V extends InsertOf<T>>(
    table: T,
    row: Exact<V, InsertOf<T>>,
  ): Promise<void> {
    await this.keepAll(table, [row])
  }

  async keepAll<T extends InternalTable, V extends InsertOf<T>>(
    table: T,
    rows: readonly Exact<V, InsertOf<T>>[],
  ): Promise<void> {
    await this.store(
      table,
      rows.map(row => this.complete(table, row as Row)),
    )
  }

  /** Removes such a row. @returns false when there is none; of two who try at once one gets true */
  async forget<T extends InternalTable>(table: T, key: string): Promise<boolean> {
    const [row] = await this.select(table, { [table.key]: key } as WhereOf<T>, { limit: 1, lock: true })
    if (!row) return false
    const statement = deleteFrom(this.statements, table, [[table.key, 1]])
    await this.session.run(statement.sql, bind(statement, [key]))
    return true
  }

  /** Changes such rows. Their own state is all they have, so it leaves no audit event. */
  async revise<T extends InternalTable, P extends PatchOf<T>>(
    table: T,
    keys: readonly string[],
    patch: Exact<P, PatchOf<T>>,
  ): Promise<void> {
    const changes = given(table, patch as Row)
    for (const some of chunks(keys)) await this.setAll(table, changes, table.key, some)
  }

  /** Removes all such rows whose column has one of the values. */
  async forgetAll<T extends InternalTable>(
    table: T,
    column: keyof T['columns'] & string,
    values: readonly string[],
  ): Promise<void> {
    for (const some of chunks(values)) {
      const statement = deleteFrom(this.statements, table, [[column, some.length]])
      await this.session.run(statement.sql, bind(statement, some))
    }
  }

  /** The row, held against other writers until the commit. */
  async lock<T extends AnyTable>(table: T, key: string): Promise<RowOf<T>> {
    const [row] = await this.select(table, { [table.key]: key } as WhereOf<T>, { limit: 1, lock: true })
    if (!row) throw notFound()
    return row
  }

  /** Such rows, held against other writers until the commit: what is to be removed is read by this. */
  async lockAll<T extends AnyTable>(table: T, where: WhereOf<T>): Promise<RowOf<T>[]> {
    return this.select(table, where, { lock: true })
  }

  /** All rows whose column has one of the values, held until the commit. */
  async lockIn<T extends AnyTable>(
    table: T,
    column: keyof T['columns'] & string,
    values: readonly string[],
  ): Promise<RowOf<T>[]> {
    const held: RowOf<T>[] = []
    for (const some of chunks(values))
      held.push(...(await this.lockAll(table, { [column]: some } as WhereOf<T>)))
    return held
  }

  /**
   * Starts behind every version that any tree has had (`links` grows with each change of a tree), so that an answer
   * of before the root was last taken out of a tree is never taken for one of now.
   */
  async createTree(trees: ContentSpace['contentTrees'], rootId: string): Promise<void> {
    const links = await this.get(keptTables.generations, 'links')
    await this.store(trees, [{ root_id: rootId, version: (links?.value ?? 0) + 1 }])
    this.trees.add(rootId)
  }

  /** Takes the tree's lock and gives it a new version, once. Every change inside a tree starts with this. */
  async touchTree(trees: ContentSpace['contentTrees'], rootId: string): Promise<void> {
    if (this.trees.has(rootId)) return
    this.trees.add(rootId)
    await this.grow(trees, 'version', 'root_id', rootId)
  }

  async dropTree(trees: ContentSpace['contentTrees'], rootId: string): Promise<void> {
    const statement = deleteFrom(this.statements, trees, [['root_id', 1]])
    await this.session.run(statement.sql, bind(statement, [rootId]))
    this.trees.add(rootId)
  }

  /**
   * An event of 6.1: one delivery for each active webhook that subscribes to it, and nothing while webhooks are off.
   * The text stored here is what is signed and sent, not before every instance can show what was changed.
   * @param data asked for only when somebody subscribes; without any, nothing has happened
   */
  async emit<E extends EventName, D extends EventData<E>>(
    event: E,
    data: () => Promise<Exact<D, EventData<E>> | undefined>,
  ): Promise<void> {
    if (!this.settings.webhooksEnabled()) return
    this.subscribers ??= await this.findAll(tables.webhooks, { is_active: true })
    const matching = this.subscribers.filter(({ events }) => events.includes('*') || events.includes(event))
    if (matching.length === 0) return
    const known = await data()
    if (!known) return
    const payload = JSON.stringify({
      id: this.settings.ids.ulid(),
      event,
      occurred_at: this.now,
      data: known,
    })
    const due_at = timestamp(Date.parse(this.now) + this.dialect.newsTime)
    for (const { webhook_id } of matching)
      this.deliveries.push({ webhook_id, event, payload, status: 'pending', attempts: 0, due_at })
  }

  /** An audit event of a change outside of the database, such as the configuration's. */
  note(what: string, record: string, before: Row, after: Row): void {
    this.audits.push(noteEvent(this.actor, this.now, { what, record, before, after }))
  }

  /** Says that what every page shows may have changed. */
  reshapePages(): void {
    this.allPages = true
  }

  /** True the first time that this name is used on this database. For seeds. */
  async once(name: string): Promise<boolean> {
    if (await this.exists(keptTables.generations, { name })) return false
    await this.store(keptTables.generations, [{ name, value: 1 }])
    return true
  }

  /** Writes what goes with the changes. Called by the database, last in the transaction. */
  async finish(): Promise<{ commit: Commit; mark: number | undefined } | undefined> {
    const { auditEvents, webhookDeliveries, generations } = keptTables
    if (this.audits.length > 0)
      await this.store(
        auditEvents,
        this.audits.map(values => this.complete(auditEvents, values)),
      )
    if (this.deliveries.length > 0)
      await this.store(
        webhookDeliveries,
        this.deliveries.map(values => this.complete(webhookDeliveries, values)),
      )
    if (this.allPages) await this.grow(generations, 'value', 'name', 'pages')
    // What one tree shows of another may be other now.
    if (this.trees.size > 0) await this.grow(generations, 'value', 'name', 'links')
    if (this.changedTables.size === 0 && this.trees.size === 0) return undefined
    const commit = {
      tables: this.changedTables,
      trees: this.trees,
      allPages: this.allPages,
      deliveries: this.deliveries.length,
    }
    return { commit, mark: await this.dialect.mark(this.session) }
  }

  private complete(table: AnyTable, values: Row): Row {
    return completeRow(table, values, this.now, this.settings.ids)
  }

  private async store(table: AnyTable, rows: readonly Row[]): Promise<void> {
    const columns = Object.keys(table.columns)
    for (const some of chunks(rows, Math.max(1, Math.floor(insertValues / columns.length)))) {
      const statement = insertInto(this.statements, table, some.length)
      const values = some.flatMap(row => columns.map(name => encodeIn(table, name, row[name])))
      await this.send(table, some, 'INSERT', statement, values)
    }
  }

  private async setAll(table: AnyTable, patch: Row, column: string, keys: readonly string[]): Promise<void> {
    const set = Object.keys(patch)
    if (set.length === 0) return
    const { shape, values } = conditions(table, { [column]: keys })
    const statement = updateSet(this.statements, table, set, shape)
    const changes = set.map(name => encodeIn(table, name, patch[name]))
    await this.send(table, [patch], 'UPDATE', statement, [...changes, ...values])
  }

  private async grow(table: AnyTable, column: string, key: string, value: string): Promise<void> {
    const statement = this.statements.of(`grow ${table.name} ${column} ${key}`, (knex, place) =>
      knex(table.name).where(key, place(0)).increment(column, 1),
    )
    await this.session.run(statement.sql, bind(statement, [value]))
  }

  private async send(
    table: AnyTable,
    rows: readonly Row[],
    operation: Operation,
    statement: Statement,
    values: readonly Scalar[],
  ): Promise<void> {
    try {
      await this.session.run(statement.sql, bind(statement, values))
    } catch (error) {
      const failure = this.dialect.classify(error)
      if (failure !== 'duplicate' && failure !== 'reference') throw error
      throw new Refused(table, rows, operation, error)
    }
  }

  private changed(table: AuditedTable, by: number): void {
    this.changedTables.add(table.name)
    this.growth.set(table.name, (this.growth.get(table.name) ?? 0) + by)
    if (table.shapesPages) this.allPages = true
  }

  private audit(
    table: AuditedTable,
    operation: Operation,
    before: Row | undefined,
    after: Row | undefined,
    key?: string,
  ): void {
    this.audits.push(auditEvent(this.actor, this.now, table, operation, { before, after, key }))
  }
}
