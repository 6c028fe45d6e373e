import { LRUCache } from 'lru-cache'
import { limitKey } from '../net/client-address.js'

/** Limits of connections before sign-in: at once in all, at once by address, and in a minute by address. */
export interface GateLimits {
  readonly atOnce: number
  readonly perAddress: number
  readonly perMinute: number
}

interface Comers {
  open: number
  since: number
  recent: number
}

const minuteMs = 60_000
/** How many addresses have a count of their own; connections from any further address are limited by `atOnce` only. */
const addresses = 10_000

/** One admitted connection. */
export interface Ticket {
  signedIn(): void
  leave(): void
}

/** Limits connections before sign-in, so that strangers cannot exhaust the machine. */
export class Gate {
  #open = 0
  readonly #comers = new LRUCache<string, Comers>({ max: addresses })

  constructor(
    private readonly limits: GateLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @returns undefined if the limit is reached */
  admit(address: string | undefined): Ticket | undefined {
    const from = this.#of(limitKey(address))
    const { atOnce, perAddress, perMinute } = this.limits
    if (this.#open >= atOnce || from.open >= perAddress || from.recent >= perMinute) return undefined
    this.#open++
    from.open++
    from.recent++
    let waiting = true
    const leave = () => {
      if (!waiting) return
      waiting = false
      this.#open--
      from.open--
    }
    return {
      signedIn() {
        if (waiting) from.recent = Math.max(0, from.recent - 1)
        leave()
      },
      leave,
    }
  }

  #of(key: string): Comers {
    const now = this.now()
    const known = this.#comers.get(key) ?? { open: 0, since: now, recent: 0 }
    if (now - known.since > minuteMs) [known.since, known.recent] = [now, 0]
    this.#comers.set(key, known)
    return known
  }
}
