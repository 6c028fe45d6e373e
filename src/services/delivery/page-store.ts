import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { internalTables } from '../../db/tables.js'
import type { Log } from '../../ports.js'

type StoredPage = RowOf<typeof internalTables.renderedPages>

/** Rendered pages wait for each other this long before they are written. */
const writeDelayMs = 250
/** When more are waiting, further ones are not stored; they are rendered again when asked for. */
const maxWaiting = 2000

/** Writes rendered pages to the database, many at once and shortly after they were given. */
export class PageStore {
  private readonly waiting = new Map<string, StoredPage>()
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly db: Database,
    private readonly log: Log,
  ) {}

  save(row: StoredPage): void {
    if (this.waiting.size >= maxWaiting) return
    this.waiting.set(row.page_key, row)
    this.timer ??= setTimeout(() => {
      this.settle().catch(error => this.log.warn({ err: error }, 'rendered pages could not be stored'))
    }, writeDelayMs)
  }

  /** Writes what waits. */
  async settle(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    const rows = [...this.waiting.values()]
    this.waiting.clear()
    if (rows.length > 0) await this.db.storeRenderedPages(internalTables.renderedPages, rows)
  }
}
