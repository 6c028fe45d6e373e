import type { SizedKey } from './statements.js'

/** How many bytes of long values one batch of a stream has at most, unless one row alone has more. */
export const maxBatchBytes = 256 * 1024
/** So many rows are a batch whatever they hold. */
export const fewRows = 8

/**
 * How many rows each of the next batches takes. Only powers of two, for each length is a statement of its own.
 * @param asked how many rows there could have been
 */
export function batchLengths(sizes: readonly number[], asked: number): number[] {
  const lengths: number[] = []
  for (let at = 0; at < sizes.length; ) {
    let [end, bytes] = [at, 0]
    while (end < sizes.length && (end === at || bytes + (sizes[end] ?? 0) <= maxBatchBytes))
      bytes += sizes[end++] ?? 0
    // The last of all may ask for more than there are.
    const isLast = end === sizes.length && (at === 0 || sizes.length < asked)
    const length = isLast ? asked : 2 ** Math.floor(Math.log2(end - at))
    lengths.push(length)
    at += length
  }
  return lengths
}

/** Rows by their keys, each batch bounded by what its rows hold. @param rowsOf the rows with these keys */
export async function* inBatches<R>(
  found: readonly SizedKey[],
  rowsOf: (keys: readonly string[]) => Promise<R[]>,
): AsyncGenerator<R[]> {
  let from = 0
  const sizes = found.map(({ size }) => size)
  for (const length of batchLengths(sizes, found.length)) {
    const keys = found.slice(from, from + length).map(({ key }) => key)
    from += length
    const rows = await rowsOf(keys)
    if (rows.length > 0) yield rows
  }
}

/** How many values one list of a statement may have on every engine. */
export const maxListLength = 500

export function* chunks<T>(values: readonly T[], size = maxListLength): Generator<readonly T[]> {
  for (let i = 0; i < values.length; i += size) yield values.slice(i, i + size)
}
