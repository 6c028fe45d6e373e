import { setTimeout as sleep } from 'node:timers/promises'
import { charactersOf } from './changes.js'
import type { Session } from './dialects/dialect.js'

/** How often something is written to find out whether that is possible, in milliseconds. */
const intervalMs = 5000
/** How long an answer waits for the probe. It may stand behind a long transaction, which is no failure. */
const patienceMs = 500
/** What a change of one record takes with its indexes and its audit event, in bytes: some thirty pages. */
const recordBytes = 128 * 1024
/** No probe is larger, so that none takes room that matters. */
const maxBytes = 4 * 2 ** 20

/** Counts what a transaction writes. */
export class WriteSize {
  /** The characters and bytes of all values. */
  bytes = 0

  /** The same session, whose writes are counted. */
  of(session: Session): Session {
    return {
      all: session.all,
      lists: session.lists,
      run: (sql, bindings) => {
        this.bytes += charactersOf(bindings)
        return session.run(sql, bindings)
      },
    }
  }
}

/**
 * Knows whether the database takes writes: a full disk or a standby reads on as if nothing had happened. A disk may have
 * room for a little and none for a record, so after a failure only what is as large as that which failed shows anything.
 */
export class WriteProbe {
  private isWritable = true
  private probedAt = Number.NEGATIVE_INFINITY
  private running: Promise<void> | undefined
  private failures = 0
  /** What must be written to show that a write is possible again; 0 while nothing has failed. */
  private bytes = 0

  /** @param write says whether it could write so many bytes, or a little when that is 0; it does not throw */
  constructor(private readonly write: (bytes: number) => Promise<boolean>) {}

  /** A write of somebody has failed, of so many bytes: the next question is answered by a new probe. */
  failed(bytes: number): void {
    this.failures++
    this.isWritable = false
    this.bytes = Math.max(this.bytes, Math.min(recordBytes + bytes, maxBytes))
    this.probedAt = Number.NEGATIVE_INFINITY
  }

  /** A write of somebody has gone well. */
  succeeded(bytes: number): void {
    if (this.isWritable || bytes < this.bytes - recordBytes) return
    this.isWritable = true
    this.bytes = 0
  }

  async writable(): Promise<boolean> {
    if (performance.now() - this.probedAt >= intervalMs) this.running ??= this.probe()
    if (this.running !== undefined)
      await Promise.race([this.running, sleep(patienceMs, undefined, { ref: false })])
    return this.isWritable
  }

  private async probe(): Promise<void> {
    const { failures } = this
    const isWritten = await this.write(this.bytes)
    // A write that has failed meanwhile knows better.
    if (failures === this.failures) {
      this.isWritable = isWritten
      this.bytes = isWritten ? 0 : Math.max(this.bytes, recordBytes)
    }
    this.probedAt = performance.now()
    this.running = undefined
  }
}
