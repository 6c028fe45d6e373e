import type { Database } from '../../db/database.js'
import { type DueDelivery, dueDeliveries } from '../../db/queries/webhooks.js'
import { timestamp } from '../../ids.js'
import type { Clock } from '../../ports.js'
import type { OriginLimits } from './origin-limits.js'

const pageSize = 200

/** Deliveries that are due and not yet claimed, a page at a time, chosen so that every origin gets its share. */
export class DueDeliveries {
  private page: DueDelivery[] = []
  private contended = false

  constructor(
    private readonly db: Database,
    private readonly parts: {
      clock: Clock
      limits: OriginLimits
      chance: () => number
      isTaken: (deliveryId: string) => boolean
    },
  ) {}

  async next(max: number): Promise<DueDelivery[]> {
    const first = this.takeFromPage(max)
    if (first.length > 0) return first
    const full = new Set<string>()
    for (;;) {
      const found = await this.db.query(dueDeliveries(full.size, pageSize), {
        ...Object.fromEntries([...full].map((id, i) => [`not${i}`, id])),
        now: timestamp(this.parts.clock.now()),
      })
      this.page = this.contended ? this.rotated(found) : found
      const chosen = this.takeFromPage(max)
      if (chosen.length > 0 || found.length < pageSize) return chosen
      // A whole page of origins that have no room: look behind them.
      for (const { webhook_id } of found) full.add(webhook_id)
    }
  }

  discardPage(): void {
    this.page = []
  }

  /** Another instance has claimed some of the page: from now on each begins somewhere else. */
  noteContention(): void {
    this.contended = true
    this.page = []
  }

  /** Those of the page that was read last. */
  takeFromPage(max: number): DueDelivery[] {
    const { limits, isTaken } = this.parts
    const chosen: DueDelivery[] = []
    const left: DueDelivery[] = []
    const batch = limits.batch()
    for (const due of this.page)
      if (chosen.length < max && !isTaken(due.delivery_id) && batch.tryAcquire(due.url)) chosen.push(due)
      else left.push(due)
    this.page = left
    return chosen
  }

  private rotated(found: DueDelivery[]): DueDelivery[] {
    const at = Math.floor(this.parts.chance() * found.length)
    return [...found.slice(at), ...found.slice(0, at)]
  }
}
