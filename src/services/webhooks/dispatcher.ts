import { systemActor } from '../../actor.js'
import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import { type DueDelivery, nextDueTime } from '../../db/queries/webhooks.js'
import { timestamp } from '../../ids.js'
import type { Ports } from '../../ports.js'
import type { InstancesService } from '../operation/instances.js'
import { attempt } from './attempt.js'
import { type Claimed, claimBatch, giveBack, type Outcome } from './claims.js'
import { endWaitsTooFarAhead } from './clock-back.js'
import { DueDeliveries } from './due-deliveries.js'
import { OriginLimits } from './origin-limits.js'

export interface WebhookDelivery {
  schedule(): void
  /** Sends due deliveries, and those that become due meanwhile. Resolves when no more are due. */
  drain(): Promise<void>
  /** Starts no more attempts, waits for running ones until the time is over, and gives the rest back. */
  stop(timeoutMs: number): Promise<void>
}

interface DispatcherParts extends Pick<Ports, 'outgoing' | 'clock' | 'random' | 'log'> {
  config: () => Config
  instances: Pick<InstancesService, 'newHolder'>
  attempts?: Map<string, number>
}

/** A claim ends this long after its attempt must have ended; then another instance may claim the delivery. */
const leaseMarginMs = 10_000
const gatherMs = 3
const retryPauseMs = 500
/** The timer rings this long after a committed delivery is due, so that it is found. */
const timerMarginMs = 20
/** Deliveries due later than this get no timer: the scans find them. */
const maxTimerMs = 3_600_000

const pause = (milliseconds: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, milliseconds))

/**
 * Sends deliveries: each due row is claimed by one instance for the time of one attempt. What attempts came to is
 * written in the same transaction as the next claims, so that under load a delivery costs a small part of a commit.
 */
export class WebhookDispatcher implements WebhookDelivery {
  private readonly holder: string
  private readonly limits: OriginLimits
  private readonly due: DueDeliveries
  private readonly running = new Map<string, Promise<void>>()
  private outcomes: Outcome[] = []
  /** Deliveries whose outcomes are not in the database yet: they look as if they were due again. */
  private readonly unwritten = new Set<string>()
  private stopped = false
  private wakeRequested = false
  private looping: Promise<void> | undefined
  private gathering: Promise<void> | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private dueTimer: ReturnType<typeof setTimeout> | undefined
  /** When the newest delivery that was scheduled is due, by the process's own clock. */
  private newestDueAt = 0

  constructor(
    private readonly db: Database,
    private readonly parts: DispatcherParts,
  ) {
    const { config, clock } = parts
    this.holder = parts.instances.newHolder()
    this.limits = new OriginLimits(config().webhook_workers)
    this.due = new DueDeliveries(db, {
      clock,
      limits: this.limits,
      chance: this.chance,
      isTaken: id => this.running.has(id) || this.unwritten.has(id),
    })
  }

  schedule(): void {
    const wait = this.db.propagationDelayMs + timerMarginMs
    this.newestDueAt = performance.now() + wait
    if (!this.stopped) this.timer ??= setTimeout(() => this.onTimer(), wait)
  }

  async drain(): Promise<void> {
    await endWaitsTooFarAhead(this.db, this.parts)
    this.wake()
    await this.idle()
  }

  async stop(timeoutMs: number): Promise<void> {
    this.stopped = true
    clearTimeout(this.timer)
    clearTimeout(this.dueTimer)
    let late: ReturnType<typeof setTimeout> | undefined
    const timeout = new Promise<void>(resolve => {
      late = setTimeout(resolve, timeoutMs)
    })
    await Promise.race([this.idle(), timeout])
    clearTimeout(late)
    const held = [...this.running.keys()].sort()
    if (held.length === 0) return
    await this.db
      .write(systemActor, tx => giveBack(tx, this.holder, held))
      .catch(error =>
        this.parts.log.warn({ err: error }, 'deliveries could not be released: their leases end later'),
      )
  }

  private onTimer(): void {
    this.timer = undefined
    this.wake()
    // Deliveries that were committed since then are due later.
    const left = this.newestDueAt - performance.now()
    if (left > 0 && !this.stopped) this.timer = setTimeout(() => this.onTimer(), left)
  }

  private wake(): void {
    this.wakeRequested = true
    this.looping ??= this.loop().finally(() => {
      this.looping = undefined
      if (this.wakeRequested) this.wake()
    })
  }

  private async loop(): Promise<void> {
    let lookedAt = 0
    while (this.wakeRequested) {
      this.wakeRequested = false
      lookedAt = this.parts.clock.now()
      const done = this.outcomes
      this.outcomes = []
      try {
        // Results are written first: a process that is killed before it would have it sent again.
        const next = await this.next(done.length > 0)
        if (done.length + next.length > 0) await this.exchange(done, next)
        if (done.length > 0) this.wakeRequested = true
      } catch (error) {
        // The outcomes of attempts are kept and written as soon as the database is back.
        this.outcomes = [...done, ...this.outcomes]
        this.due.discardPage()
        this.parts.log.warn({ err: error }, 'the queue of deliveries could not be read or written')
        if (this.stopped || this.outcomes.length === 0) continue
        await pause(retryPauseMs)
        this.wakeRequested = true
      }
    }
    // The scan finds what no timer is set for.
    await this.setDueTimer(lookedAt).catch(() => undefined)
  }

  private async setDueTimer(lookedAt: number): Promise<void> {
    const { clock, config } = this.parts
    if (this.stopped || !config().webhook_enabled) return
    const [next] = await this.db.query(nextDueTime, { time: timestamp(lookedAt) })
    clearTimeout(this.dueTimer)
    if (next === undefined || this.stopped) return
    const wait = Math.max(0, Date.parse(next) - clock.now()) + timerMarginMs
    if (wait < maxTimerMs) this.dueTimer = setTimeout(() => this.wake(), wait)
  }

  /** @param isKnown only those that need no statement */
  private async next(isKnown: boolean): Promise<DueDelivery[]> {
    const { webhook_workers, webhook_enabled } = this.parts.config()
    const free = webhook_workers - this.running.size
    if (this.stopped || !webhook_enabled || free <= 0) return []
    return isKnown ? this.due.takeFromPage(free) : this.due.next(free)
  }

  private async exchange(done: readonly Outcome[], next: readonly DueDelivery[]): Promise<void> {
    const lease = {
      holder: this.holder,
      leaseMs: this.parts.config().webhook_timeout * 1000 + leaseMarginMs,
    }
    const claimed = await this.db.write(systemActor, tx => claimBatch(tx, lease, done, next))
    for (const { id, patch } of done) {
      this.unwritten.delete(id)
      this.count(patch.status)
    }
    if (claimed.length < next.length) this.due.noteContention()
    for (const one of claimed) this.start(one)
    if (next.length > 0) this.wakeRequested = true
  }

  private count(state = 'pending'): void {
    this.parts.attempts?.set(state, (this.parts.attempts.get(state) ?? 0) + 1)
  }

  private start(claimed: Claimed): void {
    const id = claimed.delivery.delivery_id
    const release = this.limits.acquire(claimed.origin)
    const work = attempt(claimed, { ...this.parts, chance: this.chance })
      .then(patch => {
        this.outcomes.push({ id, patch })
        this.unwritten.add(id)
      })
      // Its lease ends by itself, and the next attempt is made then.
      .catch(error =>
        this.parts.log.error({ err: error, delivery_id: id }, 'a delivery could not be attempted'),
      )
      .finally(() => {
        release()
        this.running.delete(id)
        this.gather()
      })
    this.running.set(id, work)
  }

  private gather(): void {
    this.gathering ??= pause(gatherMs).then(() => {
      this.gathering = undefined
      this.wake()
    })
  }

  private async idle(): Promise<void> {
    while (this.looping || this.gathering || this.running.size > 0)
      await (this.looping ?? this.gathering ?? Promise.race(this.running.values()))
  }

  private readonly chance = (): number => (this.parts.random.bytes(1)[0] ?? 0) / 255
}
