import { clusters, graphemes } from './clusters.js'

/** Returns the start of each row of a wrapped line; it wraps after a space if possible. */
export function breaks(characters: readonly string[], width: number): number[] {
  const starts = [0]
  let used = 0
  let space = -1
  for (let at = 0; at < characters.length; at++) {
    const [cluster] = clusters(characters[at] ?? '')
    const cells = cluster?.width ?? 1
    if (used + cells > width && at > (starts.at(-1) ?? 0)) {
      const from = starts.at(-1) ?? 0
      const next = space > from ? space : at
      starts.push(next)
      used = 0
      for (let i = next; i < at; i++) used += [...clusters(characters[i] ?? '')][0]?.width ?? 1
      space = -1
    }
    used += cells
    if (characters[at] === ' ') space = at + 1
  }
  return starts
}

/** Wraps a text into rows of a width. */
export function wrapped(text: string, width: number, most = Number.POSITIVE_INFINITY): string[] {
  const rows: string[] = []
  for (const line of text.split('\n')) {
    // Only the part of a long line that is shown.
    const characters = graphemes(most === Number.POSITIVE_INFINITY ? line : line.slice(0, most * width * 8))
    const starts = breaks(characters, Math.max(1, width))
    for (const [i, from] of starts.entries())
      rows.push(
        characters
          .slice(from, starts[i + 1])
          .join('')
          .trimEnd(),
      )
    if (rows.length > most) return [...rows.slice(0, most - 1), `${rows[most - 1] ?? ''}…`]
  }
  return rows
}
