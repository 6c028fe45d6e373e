import type { AnyTable } from './columns.js'
import type { Row } from './rows.js'

/** The changes of one record in a transaction: a created one has no `before`, a deleted one has no `after`. */
export interface RecordChange<R = Readonly<Row>> {
  readonly table: AnyTable
  readonly key: string
  readonly before: R | undefined
  readonly after: R | undefined
  readonly columns: readonly string[]
}

/**
 * The records that a transaction has changed, to derive data from them before the commit: indexes, of tables that say
 * `ownedBy`, and events, of those that say `announced`; and to refuse changes, of those that say `limited`. Each record
 * is in it once.
 */
export class Touched {
  private readonly changes = new Map<string, RecordChange>()
  private readonly owners = new Map<AnyTable, Map<string, Set<string>>>()
  private readonly trees = new Map<AnyTable, Set<string>>()

  /** @param given the columns that changed; all of the row's when it came or went */
  note(table: AnyTable, before: Row | undefined, after: Row | undefined, given?: readonly string[]): void {
    const row = before ?? after
    if (!row || (table.ownedBy === undefined && !table.announced && !table.limited)) return
    const columns = given ?? Object.keys(row)
    this.noteRecord({ table, key: row[table.key] as string, before, after, columns })
    if (table.ownedBy !== undefined) this.noteOwner(table, row[table.ownedBy] as string, columns)
  }

  private noteRecord(change: RecordChange): void {
    const id = `${change.table.name} ${change.key}`
    const known = this.changes.get(id)
    const before = known ? known.before : change.before
    const columns = known ? [...new Set([...known.columns, ...change.columns])] : change.columns
    if (!before && !change.after) this.changes.delete(id)
    else this.changes.set(id, { ...change, before, columns })
  }

  private noteOwner(table: AnyTable, owner: string, columns: readonly string[]): void {
    const owners = this.owners.get(table) ?? new Map<string, Set<string>>()
    this.owners.set(table, owners)
    const known = owners.get(owner)
    if (known) for (const column of columns) known.add(column)
    else owners.set(owner, new Set(columns))
  }

  noteTree(trees: AnyTable, root: string): void {
    const known = this.trees.get(trees)
    if (known) known.add(root)
    else this.trees.set(trees, new Set([root]))
  }

  ownersIn(table: AnyTable): ReadonlyMap<string, ReadonlySet<string>> {
    return this.owners.get(table) ?? new Map()
  }

  recordOf(table: AnyTable, key: string): RecordChange | undefined {
    return this.changes.get(`${table.name} ${key}`)
  }

  /** Whether a record was not there before the transaction. */
  hasMade(table: AnyTable, key: string): boolean {
    const change = this.recordOf(table, key)
    return change !== undefined && !change.before
  }

  recordsIn(table: AnyTable): RecordChange[] {
    return [...this.changes.values()].filter(change => change.table === table)
  }

  announced(): RecordChange[] {
    return [...this.changes.values()].filter(({ table }) => table.announced)
  }

  treesIn(trees: AnyTable): ReadonlySet<string> {
    return this.trees.get(trees) ?? new Set()
  }
}
