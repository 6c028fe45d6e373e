import { LRUCache } from 'lru-cache'
import type { Versions } from '../versioned-answers.js'

/** A probe is taken as known for so many milliseconds. */
const ttl = 1000
/** So many numbers of each sort are known at most, by keys that take so many bytes together: callers write them. */
const [max, maxSize] = [1000, 2 * 2 ** 20]

const numbers = (ttl = 0) =>
  new LRUCache<string, number>({ max, maxSize, ttl, sizeCalculation: (_n, { length }) => 2 * length + 100 })

async function known(
  kept: LRUCache<string, number>,
  key: string,
  count: () => Promise<number>,
): Promise<number> {
  const found = kept.get(key)
  if (found !== undefined) return found
  const n = await count()
  kept.set(key, n)
  return n
}

/** How many entries pass tests, as they were counted before. */
export class Counts {
  private readonly probes = numbers(ttl)
  private readonly totals = numbers()
  private readonly refused = numbers()

  /**
   * As it was a moment ago. It says where a statement begins and never what it finds, so a number that is a little old
   * costs time at most.
   * @param test whatever the number depends on @param count counts once more
   */
  probe(test: string, count: () => Promise<number>): Promise<number> {
    return known(this.probes, test, count)
  }

  /**
   * As it is at these versions. Whoever answers with it sees to it that they are still the same afterwards, as
   * `atOneMoment` does; they never come back.
   * @param selection whatever else the number depends on
   */
  total({ schema, shown }: Versions, selection: string, count: () => Promise<number>): Promise<number> {
    return known(this.totals, `${schema} ${shown} ${selection}`, count)
  }

  /** Whether it was refused at these versions, for it would take too much. */
  isRefused({ schema, shown }: Versions, selection: string): boolean {
    return this.refused.has(`${schema} ${shown} ${selection}`)
  }

  refuse({ schema, shown }: Versions, selection: string): void {
    this.refused.set(`${schema} ${shown} ${selection}`, 1)
  }

  /** Takes a total that was seen on another way. */
  knowTotal({ schema, shown }: Versions, selection: string, n: number): void {
    this.totals.set(`${schema} ${shown} ${selection}`, n)
  }
}
