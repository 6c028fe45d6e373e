import { setTimeout as sleep } from 'node:timers/promises'

/** How often something is written to find out whether that is possible, in milliseconds. */
const intervalMs = 5000
/** How long an answer waits for the probe. It may stand behind a long transaction, which is no failure. */
const patienceMs = 500

/** Knows whether the database takes writes: a full disk or a standby reads on as if nothing had happened. */
export class WriteProbe {
  private isWritable = true
  private probedAt = Number.NEGATIVE_INFINITY
  private running: Promise<void> | undefined

  /** @param write says whether it could write a little; it does not throw */
  constructor(private readonly write: () => Promise<boolean>) {}

  /** A write of somebody has failed: the next question is answered by a new probe. */
  failed(): void {
    this.isWritable = false
    this.probedAt = Number.NEGATIVE_INFINITY
  }

  async writable(): Promise<boolean> {
    if (performance.now() - this.probedAt >= intervalMs) this.running ??= this.probe()
    if (this.running !== undefined)
      await Promise.race([this.running, sleep(patienceMs, undefined, { ref: false })])
    return this.isWritable
  }

  private async probe(): Promise<void> {
    this.isWritable = await this.write()
    this.probedAt = performance.now()
    this.running = undefined
  }
}
