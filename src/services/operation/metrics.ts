import type { Database } from '../../db/database.js'
import { dueDeliveries } from '../../db/queries/webhooks.js'
import { timestamp } from '../../ids.js'
import { type Measured, type PageCounts, RequestCounts } from '../../metrics.js'
import type { Clock } from '../../ports.js'

export interface MetricsService {
  /** Raised by whoever answers requests. */
  readonly requests: RequestCounts
  /** Everything that is counted, as it is now. Two small statements; it does not throw. */
  measure(): Promise<Measured>
}

interface Parts {
  readonly clock: Clock
  readonly pages: PageCounts
  readonly deliveries: ReadonlyMap<string, number>
  /** Undefined where there is no backup. */
  backupAgeSeconds(): Promise<number | undefined>
}

export function metrics(db: Database, { clock, pages, deliveries, backupAgeSeconds }: Parts): MetricsService {
  const requests = new RequestCounts()
  async function queueAge(): Promise<number> {
    const now = clock.now()
    const [oldest] = await db.query(dueDeliveries(0, 1), { now: timestamp(now) })
    return oldest === undefined ? 0 : (now - Date.parse(oldest.due_at)) / 1000
  }
  return {
    requests,
    async measure() {
      const queueAgeSeconds = await queueAge().catch(() => undefined)
      const backupAge = await backupAgeSeconds().catch(() => undefined)
      const { statementCounts: statements, pool } = db
      return {
        requests: [...requests.all()],
        pages,
        statements,
        deliveries,
        queueAgeSeconds,
        pool,
        backupAgeSeconds: backupAge,
      }
    },
  }
}
