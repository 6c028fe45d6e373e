import { systemActor } from '../../actor.js'
import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import { oldDeliveries } from '../../db/queries/webhooks.js'
import { internalTables } from '../../db/tables.js'
import { timestamp } from '../../ids.js'
import type { Clock, Log, Random } from '../../ports.js'
import { withLease } from '../operation/leases.js'

const dayMs = 86_400_000

/** Removes deliveries that were finished too long ago, a few at a time; open ones stay at any age. */
export const webhookRetention =
  (
    db: Database,
    { clock, random, log, config }: { clock: Clock; random: Random; log: Log; config: () => Config },
  ) =>
  (): Promise<void> =>
    withLease(db, 'delivery retention', { clock, random, log }, async () => {
      const before = timestamp(clock.now() - config().webhook_delivery_retention_days * dayMs)
      for (;;) {
        const old = await db.query(oldDeliveries, { before })
        if (old.length === 0) return
        await db.write(systemActor, tx =>
          tx.deleteAllInternal(internalTables.webhookDeliveries, 'delivery_id', old),
        )
      }
    })
