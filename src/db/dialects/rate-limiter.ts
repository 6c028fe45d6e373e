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

  /** Counts one more. */
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

/**
 * Counts in the table of `migrations/006`. While the database is away each instance counts in its own memory, and
 * a key that was refused is refused from memory until its time is over.
 */
export const limiterInTable = (
  amount: Amount,
  kind: 'RateLimiterPostgres' | 'RateLimiterMySQL',
  more: { storeClient: unknown; dbName?: string },
): RateLimiter =>
  limiterOf(amount, library => {
    const inTable = new library[kind]({
      ...amount,
      ...more,
      storeType: 'knex',
      tableName: 'auth_limits',
      tableCreated: true,
      inMemoryBlockOnConsumed: amount.points + 1,
      insuranceLimiter: new library.RateLimiterMemory(amount),
    })
    const inMemory = new library.RateLimiterMemory(amount)
    return {
      async consume(key) {
        const late = new AbortController()
        const counted = inTable.consume(key).finally(() => late.abort())
        const inTime = await Promise.race([
          counted,
          sleep(tableTimeoutMs, undefined, { signal: late.signal }).catch(() => counted),
        ])
        return inTime ?? inMemory.consume(key)
      },
      delete: key => inTable.delete(key),
      set: (key, points, seconds) => inTable.set(key, points, seconds),
    }
  })
