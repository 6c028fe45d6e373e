import type { AnyTable, Audited } from '../../db/columns.js'
import { adminTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'

const everyTable: readonly AnyTable[] = [...Object.values(tables), ...Object.values(adminTables)]

const authored = everyTable.filter(
  (table): table is AnyTable & Audited =>
    'audited' in table && table.columns.author_id?.flags.references === 'users',
)

/** Gives everything that one user wrote to another. @returns how many records of each table that were */
export async function reassignAuthored(
  tx: Writer,
  from: string,
  to: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of authored) {
    const rows = await tx.findAll(table, { author_id: from })
    if (rows.length > 0) counts[table.name] = rows.length
    for (const row of rows) {
      // Which tables have the column is found when the service starts, so no type knows it.
      const patch: object = { author_id: to }
      await tx.update(table, (row as Record<string, string>)[table.key] ?? '', patch)
    }
  }
  return counts
}
