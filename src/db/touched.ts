import type { AnyTable } from './columns.js'

/**
 * What a transaction has changed, for what is made of it before the commit. Only tables that say `ownedBy` are
 * followed: of each changed row the owner, and which columns changed.
 */
export class Touched {
  private readonly rows = new Map<AnyTable, Map<string, Set<string>>>()
  private readonly trees = new Map<AnyTable, Set<string>>()

  /** @param columns that changed; all of the row's when it came or went */
  note(table: AnyTable, row: Readonly<Record<string, unknown>>, columns: readonly string[]): void {
    if (table.ownedBy === undefined) return
    const owners = this.rows.get(table) ?? new Map<string, Set<string>>()
    this.rows.set(table, owners)
    const owner = row[table.ownedBy] as string
    const known = owners.get(owner)
    if (known) for (const column of columns) known.add(column)
    else owners.set(owner, new Set(columns))
  }

  /** Says that everything made of a tree is to be made again. */
  noteTree(trees: AnyTable, root: string): void {
    const known = this.trees.get(trees)
    if (known) known.add(root)
    else this.trees.set(trees, new Set([root]))
  }

  /** The owners of changed rows, each with the columns that changed. */
  ownersIn(table: AnyTable): ReadonlyMap<string, ReadonlySet<string>> {
    return this.rows.get(table) ?? new Map()
  }

  treesIn(trees: AnyTable): ReadonlySet<string> {
    return this.trees.get(trees) ?? new Set()
  }
}
