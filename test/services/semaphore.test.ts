import { describe, expect, it } from 'vitest'
import { type Release, Semaphore } from '../../src/semaphore.js'

/** Lets every promise that can settle do so. */
const settled = () => new Promise(resolve => setImmediate(resolve))

/** Asks for room and notes the name when it is given. */
function asking(semaphore: Semaphore) {
  const granted: string[] = []
  const releases = new Map<string, Release>()
  return {
    granted,
    ask(name: string, weight = 1) {
      void semaphore.acquire(weight).then(release => {
        granted.push(name)
        releases.set(name, release)
      })
    },
    async release(name: string) {
      releases.get(name)?.()
      await settled()
    },
  }
}

describe('a semaphore', () => {
  it('gives its permits and no more, to whoever asked first', async () => {
    const { granted, ask, release } = asking(new Semaphore(2))
    for (const name of ['a', 'b', 'c', 'd']) ask(name)
    await settled()
    expect(granted).toEqual(['a', 'b'])
    await release('b')
    expect(granted).toEqual(['a', 'b', 'c'])
    await release('a')
    expect(granted).toEqual(['a', 'b', 'c', 'd'])
  })

  it('keeps the order when a heavy one waits: light ones do not overtake it', async () => {
    const semaphore = new Semaphore(2)
    const { granted, ask, release } = asking(semaphore)
    ask('light')
    ask('heavy', 2)
    ask('later')
    await settled()
    expect(granted).toEqual(['light'])
    expect(semaphore.tryAcquire()).toBeUndefined()
    await release('light')
    expect(granted).toEqual(['light', 'heavy'])
    await release('heavy')
    expect(granted).toEqual(['light', 'heavy', 'later'])
  })

  it('serves several light ones when a heavy one ends', async () => {
    const { granted, ask, release } = asking(new Semaphore(2))
    ask('heavy', 2)
    ask('one')
    ask('two')
    ask('three')
    await settled()
    await release('heavy')
    expect(granted).toEqual(['heavy', 'one', 'two'])
  })

  it('counts a release once', async () => {
    const semaphore = new Semaphore(1)
    const first = semaphore.tryAcquire()
    first?.()
    first?.()
    expect(semaphore.tryAcquire()).toBeDefined()
    expect(semaphore.tryAcquire()).toBeUndefined()
    first?.()
    expect(semaphore.tryAcquire()).toBeUndefined()
  })

  it('refuses whoever comes when as many wait as may, with the error of the caller', async () => {
    class Full extends Error {}
    const semaphore = new Semaphore(1, { maxWaiting: 2, error: () => new Full('later') })
    const { granted, ask, release } = asking(semaphore)
    for (const name of ['a', 'b', 'c']) ask(name)
    await expect(semaphore.acquire()).rejects.toBeInstanceOf(Full)
    await expect(semaphore.run(() => 'never')).rejects.toBeInstanceOf(Full)
    await release('a')
    ask('d')
    await release('b')
    await release('c')
    expect(granted).toEqual(['a', 'b', 'c', 'd'])
  })

  it('can let nobody wait at all', async () => {
    const semaphore = new Semaphore(1, { maxWaiting: 0, error: () => new Error('busy') })
    const release = await semaphore.acquire()
    await expect(semaphore.acquire()).rejects.toThrow('busy')
    release()
    await expect(semaphore.run(() => 'done')).resolves.toBe('done')
  })

  it('gives room back however the work ends', async () => {
    const semaphore = new Semaphore(1)
    await expect(semaphore.run(() => Promise.reject(new Error('late')))).rejects.toThrow('late')
    await expect(
      semaphore.run(() => {
        throw new Error('at once')
      }),
    ).rejects.toThrow('at once')
    expect(await semaphore.run(async () => 'still works')).toBe('still works')
  })

  it('never runs more than it may, whatever the weights', async () => {
    const semaphore = new Semaphore(3)
    let [now, most, done] = [0, 0, 0]
    const work = (weight: number) =>
      semaphore.run(async () => {
        now += weight
        most = Math.max(most, now)
        await settled()
        now -= weight
        done++
      }, weight)
    await Promise.all(Array.from({ length: 50 }, (_, i) => work((i % 3) + 1)))
    expect([most, now, done]).toEqual([3, 0, 50])
  })

  it('refuses a weight that it could never give', async () => {
    const semaphore = new Semaphore(2)
    expect(() => semaphore.tryAcquire(3)).toThrow(RangeError)
    await expect(semaphore.acquire(3)).rejects.toThrow(RangeError)
  })
})
