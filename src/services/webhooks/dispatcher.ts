import { systemActor } from '../../actor.js'
import type { Config } from '../../config.js'
import type { PatchOf, RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { type DueDelivery, dueDeliveries } from '../../db/queries/webhooks.js'
import { keptTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { duration } from '../../durations.js'
import { timestamp } from '../../ids.js'
import type { Clock, Log, Outgoing, Posted, Random } from '../../ports.js'
import { randomSecret } from '../secrets.js'
import { receivers } from './fairness.js'
import { askedWait, problemOf, send, type Webhook } from './request.js'
import { abandon, columnsOf, fail, isOpen, stateOf, succeed } from './states.js'

const { webhookDeliveries: deliveries } = keptTables
type Delivery = RowOf<typeof deliveries>
type Patch = PatchOf<typeof deliveries>

interface Outcome {
  id: string
  patch: Patch
}

interface Claimed {
  delivery: Delivery
  webhook: Webhook
  origin: string
}

export interface WebhookDelivery {
  /** Called after a commit with deliveries: they are looked for as soon as they are due. */
  soon(): void
  /** Sends what is due, and what becomes due meanwhile. Resolves when nothing is. */
  run(): Promise<void>
  /** Begins nothing more, waits for what runs so many milliseconds at most, and gives the rest back. */
  stop(patience: number): Promise<void>
}

/** Due deliveries read at once. They are small: payloads come with the claim. */
const pageSize = 200
/** A claim ends so long after the attempt must have, in milliseconds; then another instance may take it. */
const leaseMargin = 10_000
/** Attempts that end so close together are written together, in milliseconds. */
const gatherTime = 3
/** How long to wait when the database was away, in milliseconds. */
const awayPause = 500

const pause = (milliseconds: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, milliseconds))

/**
 * Sends deliveries (6): each due row is claimed by one instance for the time of one attempt, by its key and in its
 * order, so that instances never wait for each other in a circle. What attempts came to is written in the same
 * transaction as the next claims, so that under load a delivery costs a small part of a commit.
 */
export function webhookDelivery(
  db: Database,
  parts: { outgoing: Outgoing; clock: Clock; random: Random; log: Log; config: () => Config },
): WebhookDelivery {
  const { clock, random, log, config } = parts
  const holder = randomSecret(random)
  const chance = () => (random.bytes(1)[0] ?? 0) / 255
  const busy = receivers(config().webhook_workers)
  const running = new Map<string, Promise<void>>()
  let outcomes: Outcome[] = []
  let page: DueDelivery[] = []
  /** Another instance has taken some of our page: from now on each begins somewhere else. */
  let contended = false
  let stopped = false
  let again = false
  let loop: Promise<void> | undefined
  let gathering: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let newest = 0

  /** Takes from the page what receivers have room for. */
  function taken(free: number): DueDelivery[] {
    const chosen: DueDelivery[] = []
    const left: DueDelivery[] = []
    const round = busy.round()
    for (const due of page)
      if (chosen.length < free && !running.has(due.delivery_id) && round.take(due.url)) chosen.push(due)
      else left.push(due)
    page = left
    return chosen
  }

  async function next(): Promise<DueDelivery[]> {
    const free = config().webhook_workers - running.size
    if (stopped || !config().webhook_enabled || free <= 0) return []
    const first = taken(free)
    if (first.length > 0) return first
    const full = new Set<string>()
    for (;;) {
      const found = await db.query(dueDeliveries(full.size, pageSize), {
        ...Object.fromEntries([...full].map((id, i) => [`not${i}`, id])),
        now: timestamp(clock.now()),
      })
      page = contended ? rotated(found) : found
      const chosen = taken(free)
      if (chosen.length > 0 || found.length < pageSize) return chosen
      // A whole page of receivers that have no room: look behind them.
      for (const { webhook_id } of found) full.add(webhook_id)
    }
  }

  function rotated(found: DueDelivery[]): DueDelivery[] {
    const at = Math.floor(chance() * found.length)
    return [...found.slice(at), ...found.slice(0, at)]
  }

  /** Writes what is done and claims what comes next. */
  async function turn(
    tx: Writer,
    done: readonly Outcome[],
    wanted: readonly DueDelivery[],
  ): Promise<Claimed[]> {
    const ids = [...done, ...wanted].map(one => ('id' in one ? one.id : one.delivery_id))
    const rows = new Map(
      (await tx.lockIn(deliveries, 'delivery_id', ids.sort())).map(row => [row.delivery_id, row]),
    )
    for (const { id, patch } of done)
      if (rows.get(id)?.leased_by === holder) await tx.revise(deliveries, [id], patch)
    const free = wanted.flatMap(({ delivery_id }) => {
      const row = rows.get(delivery_id)
      return row?.due_at && row.due_at <= tx.now ? [row] : []
    })
    if (free.length === 0) return []
    const lease = config().webhook_timeout * 1000 + leaseMargin
    await tx.revise(
      deliveries,
      free.map(row => row.delivery_id),
      { due_at: timestamp(Date.parse(tx.now) + lease), leased_by: holder },
    )
    const owners = [...new Set(free.map(row => row.webhook_id))]
    const webhooks = new Map(
      (await tx.findIn(tables.webhooks, 'webhook_id', owners)).map(row => [row.webhook_id, row]),
    )
    return free.flatMap(delivery => {
      const webhook = webhooks.get(delivery.webhook_id)
      return webhook ? [{ delivery, webhook, origin: busy.originOf(webhook.url) }] : []
    })
  }

  async function attempt({ delivery, webhook }: Claimed): Promise<Patch> {
    const state = stateOf(delivery)
    if (!isOpen(state)) throw new Error('a finished delivery was claimed')
    if (!webhook.is_active)
      return {
        ...columnsOf(abandon(state, clock.now()), clock.now()),
        last_error: 'the webhook is not active; nothing was sent',
      }
    const { delivery_id: id, event, payload } = delivery
    const posted = await send(webhook, { id, event, payload }, { ...parts, config: config() }).catch(
      (error): Posted => {
        // Counted like any other failure, or it would come back for ever.
        log.error({ err: error, delivery_id: id }, 'a delivery could not be attempted')
        return { kind: 'broken', status: null, reason: 'the request could not be made' }
      },
    )
    const problem = problemOf(posted)
    const now = clock.now()
    const { webhook_max_retries, webhook_retry_delays } = config()
    const backoff = {
      attemptsAtMost: webhook_max_retries,
      delays: webhook_retry_delays.map(duration),
      asked: askedWait(posted, now),
      chance: chance(),
    }
    return {
      ...columnsOf(problem === undefined ? succeed(state, now) : fail(state, now, backoff), now),
      last_status_code: 'status' in posted ? posted.status : null,
      ...(problem === undefined ? {} : { last_error: problem }),
    }
  }

  function begin(claimed: Claimed): void {
    const id = claimed.delivery.delivery_id
    const leave = busy.enter(claimed.origin)
    const work = attempt(claimed)
      .then(patch => {
        outcomes.push({ id, patch })
      })
      // Its lease ends by itself, and the next attempt is made then.
      .catch(error => log.error({ err: error, delivery_id: id }, 'a delivery could not be attempted'))
      .finally(() => {
        leave()
        running.delete(id)
        gathering ??= pause(gatherTime).then(() => {
          gathering = undefined
          poke()
        })
      })
    running.set(id, work)
  }

  async function turns(): Promise<void> {
    while (again) {
      again = false
      const done = outcomes
      outcomes = []
      try {
        const wanted = await next()
        if (done.length + wanted.length === 0) continue
        const claimed = await db.write(systemActor, tx => turn(tx, done, wanted))
        contended ||= claimed.length < wanted.length
        if (claimed.length < wanted.length) page = []
        for (const one of claimed) begin(one)
        again ||= wanted.length > 0
      } catch (error) {
        // What came of attempts is not forgotten: it is written as soon as the database is back.
        outcomes = [...done, ...outcomes]
        page = []
        log.warn({ err: error }, 'deliveries could not be written')
        if (stopped || outcomes.length === 0) continue
        await pause(awayPause)
        again = true
      }
    }
  }

  function poke(): void {
    again = true
    loop ??= turns().finally(() => {
      loop = undefined
      if (again) poke()
    })
  }

  function ring(): void {
    timer = undefined
    poke()
    // What was committed since then is due later.
    const left = newest - performance.now()
    if (left > 0 && !stopped) timer = setTimeout(ring, left)
  }

  async function giveBack(tx: Writer, held: readonly string[]): Promise<void> {
    const rows = await tx.lockIn(deliveries, 'delivery_id', held)
    const ours = rows.filter(row => row.leased_by === holder).map(row => row.delivery_id)
    await tx.revise(deliveries, ours, { due_at: tx.now, leased_by: null })
  }

  const idle = async () => {
    while (loop || gathering || running.size > 0) await (loop ?? gathering ?? Promise.race(running.values()))
  }

  return {
    soon() {
      const wait = db.propagationDelayMs + 20
      newest = performance.now() + wait
      if (!stopped) timer ??= setTimeout(ring, wait)
    },
    async run() {
      poke()
      await idle()
    },
    async stop(patience) {
      stopped = true
      clearTimeout(timer)
      let late: ReturnType<typeof setTimeout> | undefined
      await Promise.race([
        idle(),
        new Promise(resolve => {
          late = setTimeout(resolve, patience)
        }),
      ])
      clearTimeout(late)
      const held = [...running.keys()].sort()
      if (held.length === 0) return
      await db
        .write(systemActor, tx => giveBack(tx, held))
        .catch(error =>
          log.warn({ err: error }, 'deliveries could not be given back: their leases end later'),
        )
    },
  }
}
