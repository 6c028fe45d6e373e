import type { Scalar } from '../../../db/columns.js'

/** An entry that was found, with the keys that it is sorted by. */
export type KeyedEntry = {
  id: string
  keys: (Scalar | null)[]
  route_id?: string | null
  published_at?: string | null
}

/** Code points decide, as in every engine; units of UTF-16 would put what is beyond the first plane too early. */
export function compareTexts(a: string, b: string): number {
  const end = Math.min(a.length, b.length)
  for (let i = 0; i < end; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    // A surrogate belongs to a code point that is greater than every single unit.
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1
  }
  return a.length - b.length
}
const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff

/** Missing keys are last, whatever the direction. */
function compareKeys(a: Scalar | null, b: Scalar | null, isDown: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : compareTexts(String(a), String(b))
  return isDown ? -order : order
}

/**
 * The order of the answer, with ids where the keys are equal.
 * @param descending of each sort
 */
export function orderOf(descending: readonly boolean[]): (a: KeyedEntry, b: KeyedEntry) => number {
  const [byId = false] = descending
  return (a, b) => {
    for (const [i, isDown] of descending.entries()) {
      const order = compareKeys(a.keys[i] ?? null, b.keys[i] ?? null, isDown)
      if (order !== 0) return order
    }
    return compareKeys(a.id, b.id, byId)
  }
}
