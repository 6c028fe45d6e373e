import { systemActor } from '../../actor.js'
import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import { deliveriesDueAfter } from '../../db/queries/webhooks.js'
import { internalTables } from '../../db/tables.js'
import { duration } from '../../durations.js'
import { timestamp } from '../../ids.js'
import type { Clock } from '../../ports.js'
import { longestWait } from './states.js'

const { webhookDeliveries: deliveries } = internalTables

/** Makes deliveries due that wait longer than any wait lasts: they were put off before the clock went back. */
export async function endWaitsTooFarAhead(
  db: Database,
  { clock, config }: { clock: Clock; config: () => Config },
): Promise<void> {
  const longest = longestWait(config().webhook_retry_delays.map(duration))
  const time = timestamp(clock.now() + longest)
  for (;;) {
    const ids = await db.query(deliveriesDueAfter, { time })
    if (ids.length === 0) return
    await db.write(systemActor, async tx => {
      const rows = await tx.lockIn(deliveries, 'delivery_id', ids)
      const late = rows.filter(({ due_at }) => due_at !== null && due_at > time)
      await tx.updateInternal(
        deliveries,
        late.map(({ delivery_id }) => delivery_id),
        { due_at: tx.now, leased_by: null },
      )
    })
  }
}
