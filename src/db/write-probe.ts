import { setTimeout as sleep } from 'node:timers/promises'

const intervalMs = 5000
/** How long a caller waits for the probe. It may stand behind a long transaction, which is not a failure. */
const patienceMs = 500

/** Knows whether the database takes writes: a full disk or a standby reads on as if nothing had happened. */
export class WriteProbe {
  private isWritable = true
  private knownSince = Number.NEGATIVE_INFINITY
  private running: Promise<void> | undefined

  /** @param write says whether it could write something; it does not throw */
  constructor(private readonly write: () => Promise<boolean>) {}

  ended(isWritable: boolean): void {
    this.isWritable = isWritable
    this.knownSince = performance.now()
  }

  async writable(): Promise<boolean> {
    if (performance.now() - this.knownSince >= intervalMs) this.running ??= this.probe()
    if (this.running !== undefined)
      await Promise.race([this.running, sleep(patienceMs, undefined, { ref: false })])
    return this.isWritable
  }

  private async probe(): Promise<void> {
    this.ended(await this.write())
    this.running = undefined
  }
}
