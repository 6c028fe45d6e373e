import type { z } from 'zod'
import { type Actor, authorOf } from '../../actor.js'
import type { Config } from '../../config.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { type DeliveryListFilter, deliveryKeys } from '../../db/queries/webhooks.js'
import type { Slice } from '../../db/reader.js'
import { internalTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict, invalid, notFound, tooMany } from '../../errors.js'
import type { EventName } from '../../events.js'
import { type Ids, timestamp } from '../../ids.js'
import type { Ports, RateLimiter } from '../../ports.js'
import { type Check, type Crud, reads } from '../crud.js'
import { mask, refuseKeptSecrets } from '../secrets.js'
import { keptHeaders, keptValues, maskedHeaders } from './headers.js'
import { type ReplayRequest, replay } from './replay.js'
import { problemOf, send, type Webhook } from './request.js'
import type {
  DeliveryFilter,
  DeliveryRecord,
  DeliverySlice,
  TestResult,
  WebhookCreate,
  WebhookRecord,
  WebhookUpdate,
} from './schemas.js'
import { columnsOf, requeue, stateOf } from './states.js'
import { storedSecret } from './stored-secrets.js'
import { refuseTarget, serverOf } from './targets.js'

type Table = typeof tables.webhooks
type Shown = z.output<typeof WebhookRecord>
/** A change of a webhook without what takes long, which a transaction must not wait for. */
type Change = (tx: Writer) => Promise<Shown>
type ShownDelivery = z.output<typeof DeliveryRecord>
const deliveries = internalTables.webhookDeliveries

const rotationOverlapMs = 86_400_000
const deliveryBatchSize = 200

const shown = ({ previous_secret: _, ...row }: Webhook): Shown => ({
  ...row,
  secret: mask,
  headers: maskedHeaders(row.headers),
})
const withSecret = (row: Webhook, secret: string): Shown => ({ ...shown(row), secret })
const checked = (check?: Check<Shown>) => check && ((before: Webhook) => check(shown(before)))

const shownDelivery = ({
  due_at: _due,
  leased_by: _by,
  ...row
}: RowOf<typeof deliveries>): ShownDelivery => ({
  ...row,
  status: stateOf(row).status,
  payload: JSON.parse(row.payload),
})

interface WebhookParts extends Pick<Ports, 'outgoing' | 'clock' | 'random'> {
  ids: Pick<Ids, 'ulid'>
  config: () => Config
  rateLimiter: RateLimiter
  queued: () => void
}

/** Subscriptions to events, and the record of their deliveries. */
export class WebhookService {
  readonly table = tables.webhooks
  readonly count: Crud<Table>['count']

  constructor(
    private readonly db: Database,
    private readonly parts: WebhookParts,
  ) {
    this.count = reads(db, this.table).count
  }

  async *list(where: Parameters<Crud<Table>['list']>[0], slice: Slice): AsyncGenerator<Shown[]> {
    for await (const rows of this.db.stream(this.table, where, slice)) yield rows.map(shown)
  }

  async get(id: string): Promise<Shown> {
    return shown(await this.rowOf(id))
  }

  /** @returns the record with its secret. @throws 400 for an address that must not be called */
  async create(actor: Actor, given: z.output<typeof WebhookCreate>): Promise<Shown> {
    return this.db.write(actor, await this.creation(actor, given))
  }

  /** Everything of `create` that takes long. @returns the rest of it, for a transaction. @throws as `create` */
  async creation(actor: Actor, given: z.output<typeof WebhookCreate>): Promise<Change> {
    if (given.secret === mask) throw invalid('secret', 'must be a new secret, not the mask')
    const headers = keptValues(given.headers, {})
    await this.refuseTarget(given.url)
    const { secret = this.newSecret(), ...rest } = given
    const stored = await storedSecret(secret, this.parts.config())
    return async tx => {
      const values = { ...rest, secret: stored, author_id: authorOf(actor, undefined) }
      return { ...withSecret(await tx.insert(this.table, values), secret), headers }
    }
  }

  /**
   * For a `url` on another server (scheme, host, port) without a secret a new one is made, and the record has it.
   * @throws 400 as `create`, and for stored values of headers that would go to another server
   */
  async update(
    actor: Actor,
    id: string,
    given: z.output<typeof WebhookUpdate>,
    check?: Check<Shown>,
  ): Promise<Shown> {
    return this.db.write(actor, await this.change(id, given, check))
  }

  /** Everything of `update` that takes long. @returns the rest of it, for a transaction. @throws 400 as `update` */
  async change(id: string, given: z.output<typeof WebhookUpdate>, check?: Check<Shown>): Promise<Change> {
    if (given.url !== undefined) await this.refuseTarget(given.url)
    const { secret, headers, ...rest } = given
    const stored = async (text: string) => ({
      secret: await storedSecret(text, this.parts.config()),
      previous_secret: null,
      previous_secret_until: null,
    })
    // Somebody who sets a secret by hand may have lost the old one: only the new one signs.
    const own = secret === undefined || secret === mask ? undefined : await stored(secret)
    const made = own || given.url === undefined ? undefined : this.newSecret()
    const ofOtherServer = made === undefined ? undefined : await stored(made)
    return async tx => {
      const before = await tx.lock(this.table, id)
      const patch = headers ? { ...rest, headers: keptValues(headers, before.headers) } : rest
      const isMoved = given.url !== undefined && serverOf(given.url) !== serverOf(before.url)
      if (isMoved)
        refuseKeptSecrets('the server of url', [
          ...(secret === mask ? ['secret'] : []),
          ...keptHeaders(headers, before.headers),
        ])
      const other = own ?? (isMoved ? ofOtherServer : undefined)
      const { after } = await tx.update(this.table, id, { ...patch, ...other }, checked(check))
      return isMoved && made !== undefined ? withSecret(after, made) : shown(after)
    }
  }

  /** Whether another server would get the deliveries. */
  movesTo(from: string, to: string): boolean {
    return serverOf(from) !== serverOf(to)
  }

  async remove(actor: Actor, id: string, check?: Check<Shown>): Promise<void> {
    await this.db.write(actor, tx => tx.remove(this.table, id, checked(check)))
  }

  /** Gives it a new secret, which the record shows; the old one signs along for 24 hours. */
  async rotate(actor: Actor, id: string): Promise<Shown> {
    const secret = this.newSecret()
    const stored = await storedSecret(secret, this.parts.config())
    return this.db.write(actor, async tx => {
      const before = await tx.lock(this.table, id)
      const { after } = await tx.update(this.table, id, {
        secret: stored,
        previous_secret: before.secret,
        previous_secret_until: timestamp(this.parts.clock.now() + rotationOverlapMs),
      })
      return withSecret(after, secret)
    })
  }

  /**
   * Sends `webhook.test` now, whether or not the webhook is active; nothing of it is stored.
   * @throws 429 when the caller has tested too often
   */
  async test(actor: Actor, id: string): Promise<z.output<typeof TestResult>> {
    this.db.refuseChanges(actor)
    const { outgoing, clock, ids, config, rateLimiter } = this.parts
    // A test calls an address of the caller's choice, and must not let anybody explore a network.
    const wait = await rateLimiter.consume(`webhook test ${actor.userId}`)
    if (wait !== undefined) throw tooMany(wait)
    const webhook = await this.rowOf(id)
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
  }

  /** Newest first, with the number of all that fit the filter. @throws 404 */
  async deliveries(
    id: string,
    filter: z.output<typeof DeliveryFilter>,
    slice: z.output<typeof DeliverySlice>,
  ) {
    await this.rowOf(id)
    const given = Object.fromEntries(
      Object.entries({ ...filter, webhook_id: id }).filter(([, value]) => value !== undefined),
    ) as Record<keyof typeof filter | 'webhook_id', string>
    return { batches: this.deliveryBatches(given, slice), total: await this.db.count(deliveries, given) }
  }

  /** The newest delivery of a webhook; undefined before the first one. */
  async lastDelivery(id: string): Promise<ShownDelivery | undefined> {
    for await (const [last] of this.deliveryBatches({ webhook_id: id }, { limit: 1 })) return last
    return undefined
  }

  /** One delivery of a webhook. @throws 404 */
  async delivery(webhookId: string, deliveryId: string): Promise<ShownDelivery> {
    const row = await this.db.find(deliveries, { delivery_id: deliveryId, webhook_id: webhookId })
    if (!row) throw notFound()
    return shownDelivery(row)
  }

  /** A failed delivery begins again, its attempts at 0. @throws 409 when it has not failed, or nobody would send it */
  async retry(actor: Actor, deliveryId: string): Promise<ShownDelivery> {
    const { clock, config, queued } = this.parts
    if (!config().webhook_enabled)
      throw conflict('webhooks are not enabled, so the delivery would not be sent')
    const again = await this.db.write(actor, async tx => {
      const row = await tx.lock(deliveries, deliveryId)
      const state = stateOf(row)
      if (state.status !== 'failed')
        throw conflict(`the delivery is ${state.status}: only a failed one can be sent again`)
      const webhook = await tx.get(this.table, row.webhook_id)
      if (!webhook?.is_active) throw conflict('the webhook is not active, so the delivery would not be sent')
      const patch = columnsOf(requeue(state), clock.now())
      await tx.updateInternal(deliveries, [deliveryId], patch)
      return { ...row, ...patch } as typeof row
    })
    queued()
    return shownDelivery(again)
  }

  /**
   * Sends finished deliveries of a time range again, at most as many as the limit says.
   * @throws 404, 400 for the range, and 409 when nobody would send them
   */
  async replay(actor: Actor, id: string, range: z.output<typeof ReplayRequest>) {
    const { clock, config, queued } = this.parts
    if (!config().webhook_enabled)
      throw conflict('webhooks are not enabled, so the deliveries would not be sent')
    const { webhook_id, is_active } = await this.rowOf(id)
    if (!is_active) throw conflict('the webhook is not active, so the deliveries would not be sent')
    const result = await replay(this.db, actor, { webhook_id, clock }, range)
    if (result.replayed > 0) queued()
    return result
  }

  private async *deliveryBatches(
    given: Readonly<Record<string, string>>,
    { limit = Number.POSITIVE_INFINITY, offset = 0, before }: z.output<typeof DeliverySlice>,
  ): AsyncGenerator<ShownDelivery[]> {
    for (let left = limit, from = offset, last = before; left > 0; from = 0) {
      const wanted = Math.min(left, deliveryBatchSize)
      const values = (last === undefined ? given : { ...given, before: last }) as Record<
        DeliveryListFilter,
        string
      >
      const names = Object.keys(values) as DeliveryListFilter[]
      const found = await this.db.query(deliveryKeys(names, { limit: wanted, offset: from }), values)
      for await (const rows of this.db.sized(deliveries, found)) yield rows.map(shownDelivery)
      if (found.length < wanted) return
      left -= found.length
      last = found.at(-1)?.key
    }
  }

  private async rowOf(id: string): Promise<Webhook> {
    const row = await this.db.get(this.table, id)
    if (!row) throw notFound()
    return row
  }

  /** @throws 400 for an address that must not be called */
  refuseTarget(url: string): Promise<void> {
    return refuseTarget(url, this.parts.config(), this.parts.outgoing)
  }

  private newSecret(): string {
    return [...this.parts.random.bytes(32)].map(byte => byte.toString(16).padStart(2, '0')).join('')
  }
}
