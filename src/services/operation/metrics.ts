import type { Database } from '../../db/database.js'
import { dueDeliveries } from '../../db/queries/webhooks.js'
import { timestamp } from '../../ids.js'
import { type PageCounts, RequestCounts } from '../../metrics.js'
import type { Clock } from '../../ports.js'
import type { BackupsService } from './backups.js'
import type { InstancesService } from './instances.js'

interface MetricsParts {
  readonly clock: Clock
  readonly pageCounts: PageCounts
  readonly attempts: ReadonlyMap<string, number>
  readonly backups: Pick<BackupsService, 'ageSeconds'>
  readonly instances: Pick<InstancesService, 'list' | 'clockAheadMs'>
}

export function metrics(db: Database, { clock, pageCounts, attempts, backups, instances }: MetricsParts) {
  const requests = new RequestCounts()
  async function queueAge(): Promise<number> {
    const now = clock.now()
    const [oldest] = await db.query(dueDeliveries(0, 1), { now: timestamp(now) })
    return oldest === undefined ? 0 : (now - Date.parse(oldest.due_at)) / 1000
  }
  return {
    requests,
    /** Everything that is counted, as it is now. Four small statements at most; it does not throw. */
    async measure() {
      return {
        requests: [...requests.all()],
        pages: pageCounts,
        statements: db.statementCounts,
        deliveries: attempts,
        queueAgeSeconds: await queueAge().catch(() => undefined),
        pool: db.pool,
        instances: await instances.list().catch(() => undefined),
        clockAheadSeconds: instances.clockAheadMs / 1000,
        replicaLagMs: await db.lagMs().catch(() => undefined),
        backupAgeSeconds: await backups.ageSeconds().catch(() => undefined),
      }
    },
  }
}
