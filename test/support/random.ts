/** Returns random choices that are the same in every run and on every engine. */
export function chooser(seed: number) {
  let state = seed
  const below = (n: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % n
  }
  return { below, one: <T>(list: readonly T[]): T => list[below(list.length)] as T }
}
