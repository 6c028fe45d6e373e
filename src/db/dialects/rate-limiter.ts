import { setTimeout as sleep } from 'node:timers/promises'
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimiter } from '../../ports.js'
import type { Dialect, Session } from './dialect.js'

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

/** What the table has counted; undefined if it takes too long. */
async function inTime(counting: Promise<RateLimiterRes>): Promise<RateLimiterRes | undefined> {
  const late = new AbortController()
  const counted = counting.finally(() => late.abort())
  return Promise.race([
    counted,
    sleep(tableTimeoutMs, undefined, { signal: late.signal }).catch(() => counted),
  ])
}

/** How often a process removes the counts whose time is over, in milliseconds. */
const expiryIntervalMs = 60_000

/**
 * Counts one more in the window that runs, or in one that begins now. In SQLite the right sides are the values before.
 */
const countOne = `insert into auth_limits ("key", points, expire) values (?, 1, ?)
  on conflict ("key") do update set
    points = case when expire > ? then points + 1 else 1 end,
    expire = case when expire > ? then expire else excluded.expire end
  returning points, expire`

/**
 * Counts in the table for several processes on one SQLite file. A key that this process alone has counted too often is
 * refused from memory, and costs no transaction.
 */
export const limiterInFile = (amount: Amount, transaction: Dialect['transaction']): RateLimiter =>
  limiterOf(amount, library => {
    const { points, duration } = amount
    const inMemory = new library.RateLimiterMemory(amount)
    let expiredAt = 0
    const removeExpired = async (session: Session, now: number) => {
      if (now - expiredAt < expiryIntervalMs) return
      expiredAt = now
      await session.run('delete from auth_limits where expire <= ?', [now])
    }
    const count = (key: string | number) =>
      transaction(async session => {
        const now = Date.now()
        await removeExpired(session, now)
        const [row] = await session.all(countOne, [String(key), now + duration * 1000, now, now])
        const counted = Number(row?.points)
        return new library.RateLimiterRes(points - counted, Number(row?.expire) - now, counted, counted === 1)
      })
    return {
      async consume(key) {
        const own = await inMemory.consume(key)
        const state = (await inTime(count(key)).catch(() => undefined)) ?? own
        if (state.consumedPoints > points) throw state
        return state
      },
      delete: async key => {
        await transaction(session => session.run('delete from auth_limits where "key" = ?', [String(key)]))
        return inMemory.delete(key)
      },
      set: async (key, counted, seconds) => {
        const state = await inMemory.set(key, counted, seconds)
        const expire = Date.now() + seconds * 1000
        await transaction(session =>
          session.run('insert or replace into auth_limits ("key", points, expire) values (?, ?, ?)', [
            String(key),
            counted,
            expire,
          ]),
        )
        return state
      },
    }
  })

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
      consume: async key => (await inTime(inTable.consume(key))) ?? inMemory.consume(key),
      delete: key => inTable.delete(key),
      set: (key, points, seconds) => inTable.set(key, points, seconds),
    }
  })
