import type { PatchOf, RowOf } from '../../db/columns.js'
import type { DueDelivery } from '../../db/queries/webhooks.js'
import { internalTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { timestamp } from '../../ids.js'
import { instanceOf } from '../operation/instances.js'
import { originOf } from './origin-limits.js'
import type { Webhook } from './request.js'

const { webhookDeliveries: deliveries, instances } = internalTables
type Delivery = RowOf<typeof deliveries>
export type DeliveryPatch = PatchOf<typeof deliveries>

/** The outcome of an attempt, as it is written to the delivery. */
export interface Outcome {
  id: string
  patch: DeliveryPatch
}

/** A delivery that this instance alone may send while its lease lasts. */
export interface Claimed {
  delivery: Delivery
  webhook: Webhook
  origin: string
}

/** How long nobody looks again at what an instance holds that runs, in milliseconds. */
const heldMs = 5000

/**
 * The deliveries that instances hold although their leases have ended: those that run have sent them, and write so as
 * soon as they can. The row of an instance that has died goes (`beat`), and with it what it held.
 */
async function heldByOthers(
  tx: Writer,
  holder: string,
  due: readonly Delivery[],
): Promise<ReadonlySet<string>> {
  const holders = due.flatMap(({ delivery_id, leased_by }) => {
    const instance = leased_by === null || leased_by === holder ? undefined : instanceOf(leased_by)
    return instance === undefined ? [] : [{ delivery_id, instance }]
  })
  if (holders.length === 0) return new Set()
  const ids = [...new Set(holders.map(({ instance }) => instance))]
  const running = new Set((await tx.findIn(instances, 'instance_id', ids)).map(row => row.instance_id))
  return new Set(
    holders.filter(({ instance }) => running.has(instance)).map(({ delivery_id }) => delivery_id),
  )
}

/** Writes outcomes of deliveries that are still this instance's, and claims what comes next. */
export async function claimBatch(
  tx: Writer,
  { holder, leaseMs }: { holder: string; leaseMs: number },
  done: readonly Outcome[],
  wanted: readonly DueDelivery[],
): Promise<Claimed[]> {
  // All at once and in the order of keys, so that instances never wait for each other in a circle.
  const ids = [...done.map(({ id }) => id), ...wanted.map(({ delivery_id }) => delivery_id)].sort()
  const locked = await tx.lockIn(deliveries, 'delivery_id', ids)
  const rows = new Map(locked.map(row => [row.delivery_id, row]))
  for (const { id, patch } of done)
    if (rows.get(id)?.leased_by === holder) await tx.updateInternal(deliveries, [id], patch)
  const due = wanted.flatMap(({ delivery_id }) => {
    const row = rows.get(delivery_id)
    return row?.due_at && row.due_at <= tx.now ? [row] : []
  })
  const held = await heldByOthers(tx, holder, due)
  if (held.size > 0)
    await tx.updateInternal(deliveries, [...held], { due_at: timestamp(Date.parse(tx.now) + heldMs) })
  const free = due.filter(({ delivery_id }) => !held.has(delivery_id))
  if (free.length === 0) return []
  await tx.updateInternal(
    deliveries,
    free.map(row => row.delivery_id),
    { due_at: timestamp(Date.parse(tx.now) + leaseMs), leased_by: holder },
  )
  return withWebhooks(tx, free)
}

async function withWebhooks(tx: Writer, claimed: readonly Delivery[]): Promise<Claimed[]> {
  const ids = [...new Set(claimed.map(row => row.webhook_id))]
  const found = await tx.findIn(tables.webhooks, 'webhook_id', ids)
  const webhooks = new Map(found.map(row => [row.webhook_id, row]))
  return claimed.flatMap(delivery => {
    const webhook = webhooks.get(delivery.webhook_id)
    return webhook ? [{ delivery, webhook, origin: originOf(webhook.url) }] : []
  })
}

/** Ends the leases of deliveries whose attempts did not end in time: any instance may send them now. */
export async function giveBack(tx: Writer, holder: string, ids: readonly string[]): Promise<void> {
  const rows = await tx.lockIn(deliveries, 'delivery_id', ids)
  const ours = rows.filter(row => row.leased_by === holder).map(row => row.delivery_id)
  await tx.updateInternal(deliveries, ours, { due_at: tx.now, leased_by: null })
}
