import type { Scalar } from '../../../db/columns.js'
import type { Candidate } from '../../../db/queries/public-index.js'

/** What statements in pieces give, put together as one statement would have given it. */

export type Row = {
  id: string
  keys: (Scalar | null)[]
  /** Where the statement gives them. */
  route_id?: string | null
  published_at?: string | null
}

type Pieces = AsyncGenerator<Candidate[]>

/** The first entries that pass, in the order in which they come. */
export async function firstOf(pieces: Pieces, offset: number, limit: number): Promise<Row[]> {
  const rows: Row[] = []
  let left = offset
  for await (const piece of pieces) {
    for (const row of piece) if (row.passes && left-- <= 0) rows.push(row)
    if (rows.length >= limit) break
  }
  return rows.slice(0, limit)
}

/** The least entries that pass, whatever order they come in, and how many pass. */
export async function leastOf(
  pieces: Pieces,
  offset: number,
  limit: number,
  compare: (a: Row, b: Row) => number,
): Promise<{ least: Row[]; passed: number }> {
  let least: Row[] = []
  let passed = 0
  let further: Row[] = []
  /** What is behind it is behind all that are wanted. */
  let worst: Row | undefined
  const settle = () => {
    // Of two rows in order each is soon found: the sort merges what is sorted.
    least = [...least, ...further.sort(compare)].sort(compare).slice(0, offset + limit)
    further = []
    worst = least.length < offset + limit ? undefined : least.at(-1)
  }
  for await (const piece of pieces) {
    for (const row of piece) {
      if (!row.passes) continue
      passed++
      if (!worst || compare(row, worst) < 0) further.push(row)
    }
    if (further.length >= offset + limit) settle()
  }
  settle()
  return { least: least.slice(offset), passed }
}

export async function countOf(pieces: Pieces): Promise<number> {
  let n = 0
  for await (const piece of pieces) for (const row of piece) if (row.passes) n++
  return n
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
export function orderOf(descending: readonly boolean[]): (a: Row, b: Row) => number {
  const [byId = false] = descending
  return (a, b) => {
    for (const [i, isDown] of descending.entries()) {
      const order = compareKeys(a.keys[i] ?? null, b.keys[i] ?? null, isDown)
      if (order !== 0) return order
    }
    return compareKeys(a.id, b.id, byId)
  }
}
