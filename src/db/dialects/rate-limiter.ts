import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import { DatabaseAwayError } from '../../errors.js'
import type { RateLimiter } from '../../ports.js'
import { failureOf } from './driver-error.js'

interface Amount {
  points: number
  duration: number
}

type Counting = Pick<RateLimiterAbstract, 'consume' | 'delete' | 'set'>
type Library = typeof import('rate-limiter-flexible')

/** A limiter of keys that all have as many tries. The library is loaded with the first one, for a start does not need it. */
function limiterOf({ points, duration }: Amount, make: (library: Library) => Counting): RateLimiter {
  let loading: Promise<{ library: Library; limiter: Counting }> | undefined
  const load = async () => {
    const { default: library } = await import('rate-limiter-flexible')
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

/** Counts in the memory of this process. */
export function limiterInMemory({ points, duration }: Amount): RateLimiter {
  const limiters = new Map<number, RateLimiter>()
  function limiterFor(most: number): RateLimiter {
    const amount = { points: most, duration }
    const found =
      limiters.get(most) ?? limiterOf(amount, ({ RateLimiterMemory }) => new RateLimiterMemory(amount))
    limiters.set(most, found)
    return found
  }
  return { consume: (key, most = points) => limiterFor(most).consume(key) }
}

/** The tries of a key in its window, and how long that lasts. */
interface Tries {
  readonly points: number
  readonly leftMs: number
}

/** The table of `migrations/006`, whose windows are those of the database's own clock. */
export interface TryTable {
  /** Counts `n` more tries of the key, in the window that runs or in a new one. */
  count(key: string, windowMs: number, n: number): Promise<Tries>
  /** Removes windows that ended long ago. */
  removeOld(): Promise<void>
}

/** Tries of one key that are counted together. */
interface Batch {
  size: number
  readonly counted: Promise<Tries>
}

/** How often old windows are removed, and how many refused keys are remembered. */
const [removeIntervalMs, maxRefused] = [300_000, 10_000]
/** Instances that count the same new key at one moment may lock each other out. */
const maxRepeats = 3

/** @throws 503 when the tries cannot be counted: nobody passes uncounted */
async function countIn(table: TryTable, key: string, windowMs: number, n: number): Promise<Tries> {
  for (let repeats = 0; ; repeats++)
    try {
      return await table.count(key, windowMs, n)
    } catch (error) {
      const failure = failureOf(error)
      if (failure === 'retry' && repeats < maxRepeats) continue
      if (['retry', 'unavailable', 'unwritable'].includes(failure)) throw new DatabaseAwayError()
      throw error
    }
}

/**
 * Counts in a table, for all instances together. Tries of one key that come while others of it are counted are counted
 * with the next statement, all at once: so a crowd does not wait for one lock. A key that was refused is refused from
 * memory until its time is over.
 */
export function limiterInTable(amount: Amount, table: TryTable): RateLimiter {
  const windowMs = amount.duration * 1000
  /** Until when, by the process's own clock. */
  const refused = new Map<string, number>()
  /** The batches that are counted, and those that tries still join. */
  const [running, open] = [new Map<string, Batch>(), new Map<string, Batch>()]
  let removedAt = performance.now()

  function newBatch(key: string): Batch {
    const send = async () => {
      await running.get(key)?.counted.catch(() => undefined)
      open.delete(key)
      running.set(key, batch)
      return countIn(table, key, windowMs, batch.size).finally(() => {
        if (running.get(key) === batch) running.delete(key)
      })
    }
    const batch: Batch = { size: 0, counted: Promise.resolve().then(send) }
    open.set(key, batch)
    return batch
  }

  /** Counts a try. @returns what the table has with it */
  async function counted(key: string): Promise<Tries> {
    const batch = open.get(key) ?? newBatch(key)
    const place = ++batch.size
    const { points, leftMs } = await batch.counted
    return { points: points - batch.size + place, leftMs }
  }

  function refuse(key: string, leftMs: number): number {
    const [oldest] = refused.size < maxRefused ? [] : refused.keys()
    if (oldest !== undefined) refused.delete(oldest)
    refused.set(key, performance.now() + leftMs)
    return leftMs
  }

  return {
    async consume(key, most = amount.points) {
      const now = performance.now()
      const left = (refused.get(key) ?? 0) - now
      if (left > 0) return left
      refused.delete(key)
      if (now - removedAt > removeIntervalMs) {
        removedAt = now
        void table.removeOld().catch(() => undefined)
      }
      const tries = await counted(key)
      return tries.points > most ? refuse(key, tries.leftMs) : undefined
    },
  }
}
