import { isWanted } from '../event-filter.js'
import type { EventData, EventName } from '../events.js'
import { type Ids, timestamp } from '../ids.js'
import type { Exact, InsertOf, RowOf } from './columns.js'
import type { Reader } from './reader.js'
import { type internalTables, tables } from './tables.js'

type Delivery = InsertOf<typeof internalTables.webhookDeliveries>

export interface OutboxSettings {
  ids: Ids
  /** False while webhooks are off: then events leave no trace. */
  webhooksEnabled: () => boolean
}

/** The deliveries that a transaction leaves: they commit with the change that they report, or not at all. */
export class Outbox {
  readonly deliveries: Delivery[] = []
  private subscribers: RowOf<typeof tables.webhooks>[] | undefined

  /** @param delayMs how long after `now` deliveries are due, so that every instance can show the change */
  constructor(
    private readonly read: Reader,
    private readonly now: string,
    private readonly delayMs: number,
    private readonly settings: OutboxSettings,
  ) {}

  /** Adds one delivery for each active webhook that subscribes to the event and whose filter lets it pass. */
  async emit<E extends EventName, D extends EventData<E>>(
    event: E,
    data: () => Promise<Exact<D, EventData<E>> | undefined>,
  ): Promise<void> {
    if (!this.settings.webhooksEnabled()) return
    this.subscribers ??= await this.read.findAll(tables.webhooks, { is_active: true })
    const matching = this.subscribers.filter(({ events }) => events.includes('*') || events.includes(event))
    if (matching.length === 0) return
    const known = await data()
    if (!known) return
    const id = this.settings.ids.ulid()
    const payload = JSON.stringify({ id, event, occurred_at: this.now, data: known })
    const due_at = timestamp(Date.parse(this.now) + this.delayMs)
    for (const { webhook_id, filter } of matching)
      if (isWanted(known, filter))
        this.deliveries.push({ webhook_id, event, payload, status: 'pending', attempts: 0, due_at })
  }
}
