import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { keptTables } from '../../db/tables.js'
import type { Log } from '../../ports.js'

type KeptRow = RowOf<typeof keptTables.renderedPages>

/** Finished answers wait for each other this long before they are written, in milliseconds. */
const keepDelay = 250
/** More than this many waiting answers are not kept; they are built again when asked for. */
const keepAtMost = 2000

/** Writes finished answers of pages to the database, many at once and shortly after they were given. */
export function pageKeeper(db: Database, log: Log) {
  const waiting = new Map<string, KeptRow>()
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Writes what waits. */
  async function settle(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const rows = [...waiting.values()]
    waiting.clear()
    if (rows.length > 0) await db.keep(keptTables.renderedPages, rows)
  }

  return {
    settle,
    keep(row: KeptRow): void {
      if (waiting.size >= keepAtMost) return
      waiting.set(row.page_key, row)
      timer ??= setTimeout(() => {
        settle().catch(error => log.warn({ err: error }, 'finished pages could not be kept'))
      }, keepDelay)
    },
  }
}
