import type { Lists, Records } from '../../ports.js'

export type { Lists, Records }

/** Lists of small exports and tests: arrays. */
export const inMemory: Lists = { make: <T>(): T[] => [] }

/** A list that is made of others: `of` gives a record whenever it is asked for. */
export function recordsOf<T>(length: number, of: (i: number) => T): Records<T> {
  return {
    length,
    at: i => (i >= 0 && i < length ? of(i) : undefined),
    *[Symbol.iterator]() {
      for (let i = 0; i < length; i++) yield of(i)
    },
  }
}

/** The record at a place that the list is known to have. @throws if it has not */
export function recordAt<T>(records: Records<T>, i: number): T {
  const found = records.at(i)
  if (found === undefined) throw new Error(`the list has no record ${i}`)
  return found
}

/** Yields records in groups of `size`. The last group may be smaller. */
export function* batchesOf<T>(records: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = []
  for (const one of records) {
    batch.push(one)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
