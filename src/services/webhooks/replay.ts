import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { finishedDeliveries } from '../../db/queries/webhooks.js'
import { internalTables } from '../../db/tables.js'
import { invalid } from '../../errors.js'
import { leastUlid } from '../../ids.js'
import { limits } from '../../limits.js'
import type { Clock } from '../../ports.js'
import { time } from '../body-parts.js'
import { columnsOf, isOpen, requeue, stateOf } from './states.js'

const { webhookDeliveries: deliveries } = internalTables

export const ReplayRequest = z.object({
  from: time.meta({ description: 'Only deliveries that were created at this time or later.' }),
  to: time.optional().meta({ description: 'And at this time or earlier.' }),
  status: z
    .enum(['failed', 'all'])
    .default('all')
    .meta({ description: 'Only those that have failed, or all that are finished.' }),
})

export const ReplayResult = z.object({
  replayed: z.int().meta({ description: 'The number of deliveries that are sent again.' }),
  next_from: z.iso
    .datetime()
    .nullable()
    .meta({
      description: `Where to go on if there are more than ${limits.webhooks.replayed}; null if that is all.`,
    }),
})

/** An id is made after the time of its row was taken, by the same clock; that may have been set back in between. */
const clockSlackMs = 60_000

/**
 * Sends a webhook's finished deliveries of a time range again, oldest first: same ids, attempts from 0.
 * @throws 400 if the range ends before it begins
 */
export async function replay(
  db: Database,
  actor: Actor,
  { webhook_id, clock }: { webhook_id: string; clock: Clock },
  { from, to, status }: z.output<typeof ReplayRequest>,
): Promise<z.output<typeof ReplayResult>> {
  if (to !== undefined && to < from) throw invalid('to', 'must not be before from')
  const until = to ?? new Date(clock.now()).toISOString()
  let after = leastUlid(Date.parse(from) - clockSlackMs)
  const end = leastUlid(Date.parse(until) + clockSlackMs)
  for (let replayed = 0; ; ) {
    const ids = await db.query(finishedDeliveries(status), { webhook_id, after, end, from, to: until })
    if (ids.length === 0) return { replayed, next_from: null }
    if (replayed >= limits.webhooks.replayed) {
      const row = await db.get(deliveries, ids[0] ?? '')
      return { replayed, next_from: row?.created_at ?? null }
    }
    await db.write(actor, async tx => {
      const rows = await tx.lockIn(deliveries, 'delivery_id', ids)
      for (const row of rows) {
        const state = stateOf(row)
        if (isOpen(state)) continue
        await tx.updateInternal(deliveries, [row.delivery_id], columnsOf(requeue(state), clock.now()))
      }
    })
    replayed += ids.length
    after = ids.at(-1) ?? after
  }
}
