import type { Dialect } from './dialects/dialect.js'
import type { Outage } from './outage.js'

const watchIntervalMs = 500
/**
 * The intervals for engines on which looking takes microseconds: for caches, and for rights that must end at once, such
 * as those of a revoked key.
 */
const pollIntervalMs = 50
const closePollIntervalMs = 3
/** A look counts for so long at most for requests that arrive together. */
const togetherMs = 1

/** Counts what other processes have changed in the database, so that caches know what they must check. */
export class ExternalChanges {
  private count = 0
  private version: number | undefined
  /** Versions that our own commits have made, while commits of others before them may not have been seen. */
  private readonly own = new Set<number>()
  private polledAt = Number.NEGATIVE_INFINITY
  /** Whether a look was made for the requests that arrive in this turn of the event loop. */
  private isSeen = false
  private watching: NodeJS.Timeout | undefined
  private readonly listeners: (() => void)[] = []

  constructor(private readonly dialect: Pick<Dialect, 'externalVersion' | 'cheapToRead' | 'isShared'>) {}

  known(): number {
    if (this.dialect.cheapToRead) this.poll(pollIntervalMs)
    return this.count
  }

  /** `known`, exact to milliseconds or at once; undefined on the servers, where that takes a statement. */
  sync({ exact = false } = {}): number | undefined {
    if (!this.dialect.cheapToRead) return undefined
    this.poll(exact ? 0 : closePollIntervalMs)
    return this.count
  }

  /**
   * A request arrives, and this is called in the turn in which its socket was read. All requests of one turn were sent before
   * the first of them is seen here. One look is enough for them, and none misses a change that was acknowledged before it.
   * Only a request that was sent without waiting for the answer to the one before may miss a change of the last millisecond.
   */
  arrived(): void {
    if (!this.dialect.isShared || this.isSeen) return
    try {
      this.poll(0)
    } catch {
      // Whoever asks for the number gets the failure.
      return
    }
    this.isSeen = true
    setImmediate(() => {
      this.isSeen = false
    })
  }

  async now(): Promise<number> {
    this.observe(await this.dialect.externalVersion())
    return this.count
  }

  committed(version: number): void {
    this.own.add(version)
    this.skipOwn()
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener)
  }

  /** @param answered is called with the time of each question that the database has answered */
  watch(outage: Outage, answered: (askedAt: number) => void): void {
    if (this.dialect.cheapToRead) {
      this.watching = setInterval(() => this.poll(0), watchIntervalMs).unref()
      return
    }
    const look = async () => {
      const askedAt = performance.now()
      if (await outage.ask(() => this.now())) answered(askedAt)
    }
    void look()
    this.watching = setInterval(() => void look(), watchIntervalMs).unref()
  }

  close(): void {
    clearInterval(this.watching)
  }

  /** Looks again unless that was done a moment ago; only where looking takes no statement. */
  private poll(intervalMs: number): void {
    const now = performance.now()
    const sharedMs = this.isSeen ? togetherMs : 0
    if (now - this.polledAt < (this.dialect.isShared ? sharedMs : intervalMs)) return
    this.polledAt = now
    this.observe(this.dialect.externalVersion() as number)
  }

  private observe(version: number): void {
    if (this.version === undefined || this.dialect.cheapToRead) {
      const isOther = this.version !== undefined && version !== this.version
      this.version = version
      if (isOther) this.noticed()
      return
    }
    if (version <= this.version) return
    this.skipOwn()
    if (version <= this.version) return
    this.version = version
    this.noticed()
    for (const own of this.own) if (own <= version) this.own.delete(own)
  }

  private noticed(): void {
    this.count++
    for (const listener of this.listeners) listener()
  }

  private skipOwn(): void {
    while (this.version !== undefined && this.own.delete(this.version + 1)) this.version++
  }
}
