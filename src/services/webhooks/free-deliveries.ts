import { systemActor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { heldDeliveries } from '../../db/queries/webhooks.js'
import { internalTables } from '../../db/tables.js'
import { timestamp } from '../../ids.js'
import type { Clock } from '../../ports.js'
import { namesOf } from '../operation/instances.js'

const { webhookDeliveries } = internalTables

/** Frees deliveries that instances held when they died: anybody may send them now. */
export const freeDeliveries =
  (db: Database, clock: Clock) =>
  async (instances: readonly string[]): Promise<void> => {
    for (const instance of instances)
      for (;;) {
        const names = namesOf(instance)
        const held = await db.query(heldDeliveries, { time: timestamp(clock.now()), ...names })
        if (held.length === 0) break
        await db.write(systemActor, async tx => {
          const rows = await tx.lockIn(webhookDeliveries, 'delivery_id', held.toSorted())
          const ids = rows.flatMap(({ delivery_id, leased_by }) =>
            leased_by !== null && leased_by > names.from && leased_by < names.to ? [delivery_id] : [],
          )
          await tx.updateInternal(webhookDeliveries, ids, { due_at: tx.now, leased_by: null })
        })
      }
  }
