const longest = 64

/** Names of earlier versions and of other systems, with those that mean the same here, the likeliest first. */
const meaning: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    body: ['fields'],
    data: ['fields'],
    datatype_id: ['parent_id'],
    id: ['content_data_id', 'q'],
    include: ['expand'],
    is_public: ['visibility'],
    language: ['locale', 'code'],
    locale: ['code'],
    name: ['label'],
    order: ['sort'],
    page: ['cursor', 'offset'],
    path: ['slug'],
    per_page: ['limit'],
    populate: ['expand'],
    published: ['status'],
    title: ['label'],
    type: ['field_type', 'datatype_id'],
    url: ['slug'],
    username: ['email'],
    values: ['fields'],
  }),
)

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
 * The known name that somebody most likely meant: what another system or version calls so, or a name written the same
 * but for case, `-` or a missing `_id`, or with at most one letter in three wrong. Undefined if none is close.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > longest) return undefined
  const given = spelled(name)
  const names = [...known]
  const same = meaning.get(given)?.find(one => names.includes(one))
  if (same !== undefined) return same
  let best: { one: string; edits: number } | undefined
  for (const one of names) {
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
