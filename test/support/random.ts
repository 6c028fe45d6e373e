/** Returns whole numbers below 2^32, the same for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

/** Returns numbers from 0 to 1, the same for the same seed. */
export function fractions(seed: number): () => number {
  const next = numbers(seed)
  return () => next() / 2 ** 32
}

/** Returns random choices that are the same in every run and on every engine. */
export function chooser(seed: number) {
  const next = numbers(seed)
  const below = (n: number) => next() % n
  return { below, one: <T>(list: readonly T[]): T => list[below(list.length)] as T }
}
