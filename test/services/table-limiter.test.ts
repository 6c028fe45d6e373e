import { expect, it } from 'vitest'
import { DriverError } from '../../src/db/dialects/driver-error.js'
import { limiterInTable, type TryTable } from '../../src/db/dialects/rate-limiter.js'
import { DatabaseAwayError } from '../../src/errors.js'

const turn = () => new Promise(resolve => setImmediate(resolve))

/** A table of one window, whose statements wait for the lock of their row. */
function table() {
  const points = new Map<string, number>()
  const sizes: number[] = []
  let lock: Promise<unknown> = Promise.resolve()
  const self: TryTable & { sizes: number[]; failures: Error[] } = {
    sizes,
    failures: [],
    count(key, _windowMs, n) {
      const counted = lock.then(async () => {
        await turn()
        const failure = self.failures.shift()
        if (failure) throw failure
        sizes.push(n)
        points.set(key, (points.get(key) ?? 0) + n)
        return { points: points.get(key) ?? 0, leftMs: 5000 }
      })
      lock = counted.catch(() => undefined)
      return counted
    },
    removeOld: async () => undefined,
  }
  return self
}
const amount = { points: 10, duration: 60 }
const failed = (failure: DriverError['failure']) => new DriverError(failure, '', undefined, '')

it('lets as many of a crowd pass as one by one, at several instances, with few statements', async () => {
  const shared = table()
  const instances = [1, 2, 3].map(() => limiterInTable(amount, shared))
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, i) => instances[i % 3]?.consume(i % 2 ? 'one' : 'two')),
  )
  const passed = (rest: number) => answers.filter((wait, i) => i % 2 === rest && wait === undefined).length
  expect([passed(0), passed(1)]).toEqual([10, 10])
  expect(answers.filter(wait => wait !== undefined).every(wait => wait === 5000)).toBe(true)
  // One for each key at each instance, for the others came meanwhile.
  expect(shared.sizes.length).toBeLessThanOrEqual(12)
  expect(shared.sizes.reduce((sum, n) => sum + n, 0)).toBe(300)
  // A refused key asks the table no more.
  const before = shared.sizes.length
  expect(await instances[0]?.consume('one')).toBeGreaterThan(0)
  expect(shared.sizes.length).toBe(before)
})

it('lets nobody pass who cannot be counted', async () => {
  const shared = table()
  const limiter = limiterInTable(amount, shared)
  for (const failure of ['unavailable', 'unwritable'] as const) {
    shared.failures.push(failed(failure))
    const tries = await Promise.allSettled(Array.from({ length: 5 }, () => limiter.consume('one')))
    expect(tries.map(one => one.status === 'rejected' && one.reason)).toEqual(
      Array(5).fill(expect.any(DatabaseAwayError)),
    )
  }
  expect(shared.sizes).toEqual([])
  // They count again as soon as the table does.
  expect(await limiter.consume('one')).toBe(undefined)
  shared.failures.push(failed('unknown'))
  await expect(limiter.consume('one')).rejects.toBeInstanceOf(DriverError)
})

it('counts again after two instances have locked each other out', async () => {
  const shared = table()
  shared.failures.push(failed('retry'), failed('retry'))
  const limiter = limiterInTable({ points: 1, duration: 60 }, shared)
  expect(await limiter.consume('one')).toBe(undefined)
  expect(await limiter.consume('one')).toBe(5000)
  expect(shared.sizes).toEqual([1, 1])
})
