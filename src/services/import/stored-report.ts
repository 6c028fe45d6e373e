import { systemActor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { internalTables } from '../../db/tables.js'
import { limits } from '../../limits.js'
import { isProblem, type ReportRow } from './report.js'

const batchSize = 200
const digits = 8

/** A row without what would make it too long to be stored. */
function shortened(row: ReportRow): ReportRow {
  if (JSON.stringify(row).length <= limits.imports.rowCharacters) return row
  return {
    ...row,
    source_id: row.source_id.slice(0, 500),
    old_address: row.old_address?.slice(0, 1000) ?? null,
    left_out: row.left_out.slice(0, 5).map(words => words.slice(0, 500)),
    ...(row.differences ? { differences: row.differences.slice(0, 5) } : {}),
  }
}

/** Stores the rows of an import's report, in place of those of an earlier run. */
export async function keepReport(db: Database, importId: string) {
  const { importRecords } = internalTables
  let waiting: ReportRow[] = []
  let count = 0
  await db.write(systemActor, tx => tx.deleteAllInternal(importRecords, 'import_id', [importId]))

  async function store(): Promise<void> {
    const rows = waiting.map((row, i) => ({
      record_key: `${importId} ${String(count + i).padStart(digits, '0')}`,
      ...{ import_id: importId, is_problem: isProblem(row), report: { ...shortened(row) } },
    }))
    count += rows.length
    waiting = []
    await db.write(systemActor, tx => tx.insertAllInternal(importRecords, rows))
  }

  return {
    async add(row: ReportRow): Promise<void> {
      waiting.push(row)
      if (waiting.length >= batchSize) await store()
    },
    async end(): Promise<void> {
      if (waiting.length > 0) await store()
    },
  }
}
