import { z } from 'zod'
import { type Actor, authorOf } from '../../actor.js'
import type { Config } from '../../config.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { deliveryList } from '../../db/queries/webhooks.js'
import { keptTables, tables } from '../../db/tables.js'
import { conflict, invalid, notFound, tooMany } from '../../errors.js'
import type { EventName } from '../../events.js'
import { type Ids, timestamp } from '../../ids.js'
import type { Clock, Outgoing, Random, RateLimiter } from '../../ports.js'
import { type Check, type Crud, reads } from '../crud.js'
import { mask } from '../secrets.js'
import { label } from '../text.js'
import { subscription } from './events.js'
import { customHeaders } from './headers.js'
import { problemOf, send, type Webhook } from './request.js'
import { columnsOf, requeue, stateOf, statuses } from './states.js'
import { refuseTarget } from './targets.js'

const members = {
  name: label(),
  url: z.string().max(2048),
  secret: z.string().min(16, 'must have at least 16 characters').max(512),
  events: subscription,
  is_active: z.boolean(),
  headers: customHeaders,
}
export const WebhookCreate = z.object({
  ...members,
  secret: members.secret.optional(),
  is_active: members.is_active.default(false),
  headers: members.headers.default({}),
})
/** The mask stands for the secret that is there. */
export const WebhookUpdate = z
  .object({ ...members, secret: z.union([z.literal(mask), members.secret]) })
  .partial()

export const WebhookRecord = z.object({
  webhook_id: z.string(),
  name: z.string(),
  url: z.string(),
  secret: z
    .string()
    .meta({ description: `Shown when it is made and when it is rotated, otherwise ${mask}.` }),
  previous_secret_until: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'Until then the secret before the rotation signs along.' }),
  events: z.array(z.string()),
  is_active: z.boolean(),
  headers: z.record(z.string(), z.string()),
  author_id: z.string(),
  date_created: z.iso.datetime(),
  date_modified: z.iso.datetime(),
})

export const DeliveryRecord = z.object({
  delivery_id: z.string(),
  webhook_id: z.string(),
  event: z.string(),
  payload: z.json().meta({ description: 'What is sent; the bytes that are signed are kept beside it.' }),
  status: z.enum(statuses),
  attempts: z.int(),
  last_status_code: z.int().nullable(),
  last_error: z.string().nullable(),
  next_retry_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
  completed_at: z.iso.datetime().nullable(),
})

export const TestResult = z.object({
  status: z.enum(['success', 'failed']),
  status_code: z.int().meta({ description: '0 where no answer came.' }),
  duration: z.string().meta({ description: 'In milliseconds, such as "38ms".' }),
})

export const DeliveryQuery = z.object({
  status: z.enum(statuses).optional(),
  event: z.string().max(64).optional(),
  before: z
    .string()
    .max(26)
    .optional()
    .meta({ description: 'Only deliveries older than the one with this id.' }),
})

type Table = typeof tables.webhooks
type Shown = z.output<typeof WebhookRecord>
type ShownDelivery = z.output<typeof DeliveryRecord>
const deliveries = keptTables.webhookDeliveries

/** How long the secret before a rotation signs along. */
const rotationOverlapMs = 86_400_000

const shown = ({ previous_secret: _, ...row }: Webhook): Shown => ({ ...row, secret: mask })
const withSecret = (row: Webhook): Shown => ({ ...shown(row), secret: row.secret })

const shownDelivery = ({
  due_at: _due,
  leased_by: _by,
  ...row
}: RowOf<typeof deliveries>): ShownDelivery => ({
  ...row,
  status: stateOf(row).status,
  payload: JSON.parse(row.payload),
})

export interface WebhookService extends Pick<Crud<Table>, 'table' | 'count'> {
  list(...of: Parameters<Crud<Table>['list']>): AsyncGenerator<Shown[]>
  get(id: string): Promise<Shown>
  /** @returns the record with its secret. @throws 400 for an address that must not be called */
  create(actor: Actor, given: z.output<typeof WebhookCreate>): Promise<Shown>
  update(
    actor: Actor,
    id: string,
    given: z.output<typeof WebhookUpdate>,
    check?: Check<Shown>,
  ): Promise<Shown>
  /** Its deliveries go with it, sent or not. */
  remove(actor: Actor, id: string, check?: Check<Shown>): Promise<void>
  /** Gives it a new secret, which the record shows; the old one signs along for 24 hours. */
  rotate(actor: Actor, id: string): Promise<Shown>
  /**
   * Sends `webhook.test` now, whether or not the webhook is active; nothing of it is stored.
   * @throws 429 when the caller has tested too often
   */
  test(actor: Actor, id: string): Promise<z.output<typeof TestResult>>
  /** Newest first, at most so many. */
  deliveries(id: string, filter: z.output<typeof DeliveryQuery>, limit: number): Promise<ShownDelivery[]>
  /** A failed delivery begins again, its attempts at 0. @throws 409 when it has not failed, or nobody would send it */
  retry(actor: Actor, deliveryId: string): Promise<ShownDelivery>
}

/** Subscriptions to events and the record of what was sent to them. */
export function webhooks(
  db: Database,
  parts: {
    outgoing: Outgoing
    clock: Clock
    random: Random
    ids: Pick<Ids, 'ulid'>
    config: () => Config
    rateLimiter: RateLimiter
    /** Called when a delivery was put back. */
    queued: () => void
  },
): WebhookService {
  const { outgoing, clock, random, ids, config, rateLimiter, queued } = parts
  const table = tables.webhooks
  const { count } = reads(db, table)
  const newSecret = () => [...random.bytes(32)].map(byte => byte.toString(16).padStart(2, '0')).join('')
  const checked = (check?: Check<Shown>) => check && ((before: Webhook) => check(shown(before)))

  async function found(id: string): Promise<Webhook> {
    const row = await db.get(table, id)
    if (!row) throw notFound()
    return row
  }

  return {
    table,
    count,
    async *list(where, slice) {
      for await (const rows of db.stream(table, where, slice)) yield rows.map(shown)
    },
    get: async id => shown(await found(id)),
    async create(actor, given) {
      if (given.secret === mask) throw invalid('secret', 'the mask is no secret')
      await refuseTarget(given.url, config(), outgoing)
      const { secret = newSecret(), ...rest } = given
      return db.write(actor, async tx =>
        withSecret(await tx.insert(table, { ...rest, secret, author_id: authorOf(actor, undefined) })),
      )
    },
    async update(actor, id, given, check) {
      if (given.url !== undefined) await refuseTarget(given.url, config(), outgoing)
      const { secret, ...rest } = given
      // Who sets a secret by hand may have lost the old one to somebody: none signs along.
      const other =
        secret === undefined || secret === mask
          ? {}
          : { secret, previous_secret: null, previous_secret_until: null }
      return db.write(actor, async tx =>
        shown((await tx.update(table, id, { ...rest, ...other }, checked(check))).after),
      )
    },
    remove: (actor, id, check) =>
      db.write(actor, async tx => {
        await tx.remove(table, id, checked(check))
      }),
    rotate: (actor, id) =>
      db.write(actor, async tx => {
        const before = await tx.lock(table, id)
        const { after } = await tx.update(table, id, {
          secret: newSecret(),
          previous_secret: before.secret,
          previous_secret_until: timestamp(clock.now() + rotationOverlapMs),
        })
        return withSecret(after)
      }),
    async test(actor, id) {
      // A test calls an address of the caller's choice: nobody shall look through a network by it.
      const wait = await rateLimiter.consume(`webhook test ${actor.userId}`)
      if (wait !== undefined) throw tooMany(wait)
      const webhook = await found(id)
      const event: EventName = 'webhook.test'
      const payload = JSON.stringify({
        id: ids.ulid(),
        event,
        occurred_at: timestamp(clock.now()),
        data: { webhook_id: id, message: 'This is a test of your webhook.' },
      })
      const from = performance.now()
      const posted = await send(
        webhook,
        { id: ids.ulid(), event, payload },
        { outgoing, clock, config: config() },
      )
      if (posted.kind === 'refused') throw invalid('url', 'is an address that webhooks may not reach')
      return {
        status: problemOf(posted) === undefined ? 'success' : 'failed',
        status_code: posted.status ?? 0,
        duration: `${Math.round(performance.now() - from)}ms`,
      }
    },
    async deliveries(id, filter, limit) {
      await found(id)
      const given = Object.fromEntries(
        Object.entries({ ...filter, webhook_id: id }).filter(([, value]) => value !== undefined),
      ) as Record<keyof typeof filter | 'webhook_id', string>
      const rows = await db.query(deliveryList(Object.keys(given) as (keyof typeof given)[], limit), given)
      return rows.map(shownDelivery)
    },
    async retry(actor, deliveryId) {
      if (!config().webhook_enabled)
        throw conflict('webhooks are not enabled, so the delivery would not be sent')
      const again = await db.write(actor, async tx => {
        const row = await tx.lock(deliveries, deliveryId)
        const state = stateOf(row)
        if (state.status !== 'failed')
          throw conflict(`the delivery is ${state.status}: only a failed one can be sent again`)
        const webhook = await tx.get(table, row.webhook_id)
        if (!webhook?.is_active)
          throw conflict('the webhook is not active, so the delivery would not be sent')
        const patch = columnsOf(requeue(state), clock.now())
        await tx.revise(deliveries, [deliveryId], patch)
        return { ...row, ...patch } as typeof row
      })
      queued()
      return shownDelivery(again)
    },
  }
}
