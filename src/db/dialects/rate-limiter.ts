import { setTimeout as sleep } from 'node:timers/promises'
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimiter } from '../../ports.js'

interface Amount {
  points: number
  duration: number
}

/** How long the table may take, in milliseconds: the limited requests have statements of their own to wait for. */
const tableTimeoutMs = 1000

type Counting = Pick<RateLimiterAbstract, 'consume' | 'delete' | 'set'>
type Library = typeof import('rate-limiter-flexible')

/** The library is loaded with the first try, for a start does not need it. */
function limiterOf({ points, duration }: Amount, make: (library: Library) => Counting): RateLimiter {
  let loading: Promise<{ library: Library; limiter: Counting }> | undefined
  const load = async () => {
    const library = await import('rate-limiter-flexible')
    return { library, limiter: make(library) }
  }
  const windowMs = duration * 1000

  async function counted(key: string): Promise<{ refused: boolean; state: RateLimiterRes }> {
    loading ??= load()
    const { library, limiter } = await loading
    try {
      return { refused: false, state: await limiter.consume(key) }
    } catch (refused) {
      if (refused instanceof library.RateLimiterRes) return { refused: true, state: refused }
      throw refused
    }
  }

  return {
    async consume(key) {
      const { refused, state } = await counted(key)
      if (state.msBeforeNext > windowMs) {
        // The clock went back: the window that was counted in is over, and the tries count in one that begins now.
        const { limiter } = (await loading) ?? {}
        await limiter?.delete(key)
        await limiter?.set(key, refused ? points + 1 : state.consumedPoints, duration)
        return refused ? windowMs : undefined
      }
      return refused ? state.msBeforeNext : undefined
    },
  }
}

export const limiterInMemory = (amount: Amount): RateLimiter =>
  limiterOf(amount, ({ RateLimiterMemory }) => new RateLimiterMemory(amount))

/** The tries of a key in its window, and how long that lasts. */
interface Tries {
  readonly points: number
  readonly leftMs: number
}

/** The table of `migrations/006`, whose windows are those of the database's own clock. */
export interface TryTable {
  /** Counts one more try of the key, in the window that runs or in a new one. */
  count(key: string, windowMs: number): Promise<Tries>
  /** Removes windows that ended long ago. */
  removeOld(): Promise<void>
}

/** How often old windows are removed, and how many refused keys are remembered. */
const [removeIntervalMs, maxRefused] = [300_000, 10_000]

/**
 * Counts in a table, for all instances together. While the database is away each instance counts in its own memory, and
 * a key that was refused is refused from memory until its time is over.
 */
export function limiterInTable(amount: Amount, table: TryTable): RateLimiter {
  const windowMs = amount.duration * 1000
  const alone = limiterInMemory(amount)
  /** Until when, by the process's own clock. */
  const refused = new Map<string, number>()
  let removedAt = performance.now()

  /** Undefined when the table does not answer in time. */
  async function counted(key: string): Promise<Tries | undefined> {
    const late = new AbortController()
    const count = table
      .count(key, windowMs)
      .catch(() => undefined)
      .finally(() => late.abort())
    return Promise.race([count, sleep(tableTimeoutMs, undefined, { signal: late.signal }).catch(() => count)])
  }

  function refuse(key: string, leftMs: number): number {
    const [oldest] = refused.size < maxRefused ? [] : refused.keys()
    if (oldest !== undefined) refused.delete(oldest)
    refused.set(key, performance.now() + leftMs)
    return leftMs
  }

  return {
    async consume(key) {
      const now = performance.now()
      const left = (refused.get(key) ?? 0) - now
      if (left > 0) return left
      refused.delete(key)
      if (now - removedAt > removeIntervalMs) {
        removedAt = now
        void table.removeOld().catch(() => undefined)
      }
      const tries = await counted(key)
      if (tries === undefined) return alone.consume(key)
      return tries.points > amount.points ? refuse(key, tries.leftMs) : undefined
    },
  }
}
