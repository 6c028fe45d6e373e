/** Longer names are never misspellings of ours. */
const longest = 64

/** Names that earlier versions had, with those of today. */
const renamed: ReadonlyMap<string, string> = new Map([['is_public', 'visibility']])

const spelled = (name: string): string => name.toLowerCase().replaceAll('-', '_')

/** The letters to insert, take out, replace or swap with their neighbour (optimal string alignment distance). */
function distance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? (beforeLast[j - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY
      row.push(Math.min(replaced, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}

/**
 * The known name that somebody most likely meant: written the same but for case, `-` or a missing `_id`, or with at
 * most one letter in three wrong. Undefined if none is close.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > longest) return undefined
  const given = spelled(name)
  let best: { one: string; edits: number } | undefined
  for (const one of known) {
    if (one === renamed.get(name)) return one
    const edits = Math.min(
      distance(given, spelled(one)),
      one.endsWith('_id') ? distance(given, spelled(one.slice(0, -3))) : Number.POSITIVE_INFINITY,
    )
    const isNear = edits <= Math.max(1, Math.floor(Math.max(given.length, one.length) / 3))
    if (isNear && edits < (best?.edits ?? Number.POSITIVE_INFINITY)) best = { one, edits }
  }
  return best?.one
}

/** The hint after a refused name, if a similar name is known. */
export function meantHint(name: string, known: Iterable<string>): string {
  const meant = nearestName(name, known)
  return meant === undefined ? '' : `: did you mean ${meant}?`
}

/** The hint after an unknown name. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearestName(name, known)
  return meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`
}
