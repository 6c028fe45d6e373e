import type { AnyTable, Audited } from '../../db/columns.js'
import { adminTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'

const everyTable: readonly AnyTable[] = [...Object.values(tables), ...Object.values(adminTables)]

/** Every audited table whose rows name a user as their author. */
const authored = everyTable.filter(
  (table): table is AnyTable & Audited =>
    'audited' in table && table.columns.author_id?.flags.references === 'users',
)

/** Gives everything that one user wrote to another. @returns whether there was anything */
export async function reassignAuthored(tx: Writer, from: string, to: string): Promise<boolean> {
  let changed = false
  for (const table of authored)
    for (const row of await tx.findAll(table, { author_id: from })) {
      changed = true
      // Which tables have the column is found when the service starts, so no type knows it.
      const patch: object = { author_id: to }
      await tx.update(table, (row as Record<string, string>)[table.key] ?? '', patch)
    }
  return changed
}
