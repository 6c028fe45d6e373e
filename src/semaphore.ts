/** Gives back an acquired permit. A second call does nothing. */
export type Release = () => void

interface Waiter {
  readonly weight: number
  readonly grant: (release: Release) => void
}

/** A limit of how many may wait; beyond it `acquire` rejects with the error. */
export interface QueueLimit {
  readonly maxWaiting: number
  readonly error: () => Error
}

/**
 * Limits how much runs at the same time. Waiting work is served in its order: nothing overtakes, so that a heavy
 * piece of work is not put off for ever by light ones.
 */
export class Semaphore {
  private free: number
  private readonly queue: Waiter[] = []

  constructor(
    private readonly permits: number,
    private readonly limit?: QueueLimit,
  ) {
    this.free = permits
  }

  /** @returns undefined when it would have to wait */
  tryAcquire(weight = 1): Release | undefined {
    if (weight > this.permits) throw new RangeError(`${weight} is more than the ${this.permits} there are`)
    return this.queue.length === 0 && weight <= this.free ? this.take(weight) : undefined
  }

  /** Waits for its turn. @throws the error of the limit when too many wait already */
  async acquire(weight = 1): Promise<Release> {
    const release = this.tryAcquire(weight)
    if (release) return release
    if (this.limit && this.queue.length >= this.limit.maxWaiting) throw this.limit.error()
    return new Promise(grant => this.queue.push({ weight, grant }))
  }

  async run<T>(work: () => T | Promise<T>, weight = 1): Promise<T> {
    const release = this.tryAcquire(weight) ?? (await this.acquire(weight))
    try {
      return await work()
    } finally {
      release()
    }
  }

  private take(weight: number): Release {
    this.free -= weight
    let held = true
    return () => {
      if (!held) return
      held = false
      this.free += weight
      this.grantNext()
    }
  }

  private grantNext(): void {
    for (let next = this.queue[0]; next && next.weight <= this.free; next = this.queue[0]) {
      this.queue.shift()
      next.grant(this.take(next.weight))
    }
  }
}
