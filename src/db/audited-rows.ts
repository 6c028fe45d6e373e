import type { Actor } from '../actor.js'
import { auditEvent, noteEvent, pick } from './audit.js'
import type { AnyTable, Audited, Exact, InsertOf, PatchOf, RowOf } from './columns.js'
import type { Dialect, Session } from './dialects/dialect.js'
import { automaticChanges, encodeIn, given, type Row } from './rows.js'
import type { Statements } from './statements.js'
import { internalTables, type Operation } from './tables.js'
import { Touched } from './touched.js'
import { Transaction, type TransactionSettings } from './transaction.js'

type AuditedTable = AnyTable & Audited
/** Keys of rows that are changed alike: all, but for their revisions. */
type Alike = Map<string, { changes: Row; keys: string[] }>

/** Changes of records. Each changed row leaves one audit event, stored at the end of the same transaction. */
export class AuditedRows extends Transaction {
  private readonly auditEvents: Row[] = []
  readonly touched = new Touched()
  protected readonly changedTables = new Map<AnyTable, number>()

  constructor(
    dialect: Dialect,
    statements: Statements,
    session: Session,
    private readonly actor: Actor,
    settings: TransactionSettings,
  ) {
    super(dialect, statements, session, settings)
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
    const rows: Row[] = []
    await this.inPieces(list, async some => {
      const complete = some.map(values => this.complete(table, values as Row))
      await this.changes.insert(table, complete)
      for (const row of complete) {
        this.audit(table, 'INSERT', undefined, row)
        this.touched.note(table, undefined, row)
      }
      rows.push(...complete)
    })
    this.changed(table, rows.length)
    return rows as RowOf<T>[]
  }

  /**
   * @param check may refuse the change, given the row before it
   * @returns the row before and after. A patch that changes nothing leaves nothing behind, not even a new date.
   * @throws 404 when there is no such row
   */
  async update<T extends AuditedTable, P extends PatchOf<T>>(
    table: T,
    key: string,
    patch: Exact<P, PatchOf<T>>,
    check?: (before: RowOf<T>) => void | Promise<void>,
  ): Promise<{ before: RowOf<T>; after: RowOf<T>; changed: boolean }> {
    await this.turns.next()
    const before = await this.lock(table, key)
    await check?.(before)
    const { names, silent, changes } = this.changesOf(table, before as Row, given(table, patch as Row))
    if (names.length === 0) return { before, after: before, changed: false }
    const after = { ...(before as Row), ...changes }
    await this.changes.update(table, key, changes, after)
    if (!silent) {
      this.audit(table, 'UPDATE', pick(before as Row, names), pick(after, names), key)
      this.changed(table, 0)
      this.touched.note(table, before as Row, after, names)
    }
    return { before, after: after as RowOf<T>, changed: true }
  }

  /**
   * Changes many rows by one patch, in a few statements. Rows that already have its values are left as they are.
   * @returns the rows as they are now, in the order of the keys; a key without a row gives none
   */
  async updateAll<T extends AuditedTable, P extends PatchOf<T>>(
    table: T,
    keys: readonly string[],
    patch: Exact<P, PatchOf<T>>,
  ): Promise<RowOf<T>[]> {
    const values = given(table, patch as Row)
    const rows = new Map<string, Row>()
    for (const row of (await this.lockIn(table, table.key, keys)) as Row[])
      rows.set(row[table.key] as string, row)
    const alike: Alike = new Map()
    const change = (key: string) => {
      const before = rows.get(key)
      if (!before) return
      const { names, silent, changes } = this.changesOf(table, before, values)
      if (names.length === 0) return
      const after = { ...before, ...changes }
      rows.set(key, after)
      keysOf(alike, changes).push(key)
      if (silent) return
      this.audit(table, 'UPDATE', pick(before, names), pick(after, names), key)
      this.changed(table, 0)
      this.touched.note(table, before, after, names)
    }
    await this.inPieces(keys, some => some.forEach(change))
    for (const { changes, keys } of alike.values())
      await this.inPieces(keys, some => this.changes.updateIn(table, table.key, some, changes))
    return keys.flatMap(key => {
      const row = rows.get(key)
      return row ? [row as RowOf<T>] : []
    })
  }

  /**
   * Gives rows that this transaction holds a new date and revision, for what belongs to them has changed. That change
   * leaves the audit event.
   * @returns the rows as they are now
   */
  async touch<T extends AuditedTable>(table: T, rows: readonly RowOf<T>[]): Promise<RowOf<T>[]> {
    const alike: Alike = new Map()
    const after = (rows as readonly Row[]).map(row => {
      const changes = automaticChanges(table, row, this.changedAt)
      keysOf(alike, changes).push(row[table.key] as string)
      const touched = { ...row, ...changes }
      this.touched.note(table, row, touched, Object.keys(changes))
      return touched
    })
    for (const { changes, keys } of alike.values())
      await this.changes.updateIn(table, table.key, keys, changes)
    return after as RowOf<T>[]
  }

  /** Sets silent columns of all rows whose `column` has one of the values, without audit events. */
  async setSilently<T extends AuditedTable, P extends PatchOf<T>>(
    table: T,
    column: keyof T['columns'] & string,
    values: readonly string[],
    patch: Exact<P, PatchOf<T>>,
  ): Promise<void> {
    const changes = given(table, patch as Row)
    if (!onlySilent(table, Object.keys(changes))) throw new Error('only silent columns are set silently')
    await this.changes.updateIn(table, column, values, changes)
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

  async removeAll<T extends AuditedTable>(table: T, rows: readonly RowOf<T>[]): Promise<void> {
    const keys = rows.map(row => (row as Row)[table.key] as string)
    if (keys.length > 1) await this.changes.updateIn(table, table.key, keys, withoutReferencesToItself(table))
    await this.inPieces(keys, some => this.changes.deleteIn(table, table.key, some))
    await this.inPieces(rows as readonly Row[], some => {
      for (const row of some) {
        this.audit(table, 'DELETE', row, undefined)
        this.touched.note(table, row, undefined)
      }
    })
    this.changed(table, -rows.length)
  }

  protected override hasMade(table: AnyTable, key: string): boolean {
    return this.touched.hasMade(table, key)
  }

  get hasChanges(): boolean {
    return this.auditEvents.length > 0
  }

  get surface(): Actor['surface'] {
    return this.actor.surface
  }

  /** The user who changes the rows; null for the service itself. */
  get userId(): string | null {
    return this.actor.userId
  }

  get roleId(): string | null {
    return this.actor.roleId
  }

  get credential(): Actor['credential'] {
    return this.actor.credential
  }

  /** An audit event of a change outside of the database, such as the configuration's. */
  note(what: string, record: string, before: Row, after: Row): void {
    this.auditEvents.push(noteEvent(this.actor, this.now, { what, record, before, after }))
  }

  protected async storeAuditEvents(): Promise<void> {
    await this.inPieces(this.auditEvents, some => {
      const rows = some.map(values => this.complete(internalTables.auditEvents, values))
      return this.changes.insert(internalTables.auditEvents, rows)
    })
  }

  private changesOf(table: AuditedTable, before: Row, patch: Row) {
    const own = differences(table, before, patch)
    const names = Object.keys(own)
    const silent = onlySilent(table, names)
    const changes = silent ? own : { ...own, ...automaticChanges(table, before, this.changedAt) }
    return { names, silent, changes }
  }

  protected changed(table: AnyTable, by: number): void {
    this.changedTables.set(table, (this.changedTables.get(table) ?? 0) + by)
  }

  private audit(
    table: AuditedTable,
    operation: Operation,
    before: Row | undefined,
    after: Row | undefined,
    key?: string,
  ): void {
    this.auditEvents.push(auditEvent(this.actor, this.now, table, operation, { before, after, key }))
  }
}

function keysOf(alike: Alike, changes: Row): string[] {
  const like = JSON.stringify(changes)
  const group = alike.get(like) ?? { changes, keys: [] }
  alike.set(like, group)
  return group.keys
}

function differences(table: AnyTable, before: Row, patch: Row): Row {
  const changes: Row = {}
  for (const [name, value] of Object.entries(patch))
    if (encodeIn(table, name, value) !== encodeIn(table, name, before[name])) changes[name] = value
  return changes
}

const onlySilent = (table: AnyTable, names: readonly string[]) =>
  names.every(name => table.columns[name]?.flags.silent)

/** MySQL checks references row by row, so rows of one table that refer to each other lose these references first. */
const withoutReferencesToItself = (table: AnyTable): Row =>
  Object.fromEntries(
    Object.entries(table.columns)
      .filter(([, { flags }]) => flags.references === table.name)
      .map(([name]) => [name, null]),
  )
