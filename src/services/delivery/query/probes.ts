import { LRUCache } from 'lru-cache'

/** A number of entries is taken as known for so long. */
const ttl = 1000

/**
 * How many entries pass a test, as it was counted a moment ago. It says where a statement begins and never what it
 * finds, so a number that is a little old costs time at most.
 */
export class Probes {
  private readonly known = new LRUCache<string, number>({ max: 1000, ttl })

  /** @param test whatever the number depends on @param count counts once more */
  async count(test: string, count: () => Promise<number>): Promise<number> {
    const known = this.known.get(test)
    if (known !== undefined) return known
    const n = await count()
    this.known.set(test, n)
    return n
  }
}
