import sequences from '@jest/diff-sequences'

// Its types are those of the module that `require` gives.
const findRuns = sequences as unknown as typeof sequences.default

const context = 3
/** Texts that need more comparisons of lines are replaced as a whole. */
const maxComparisons = 5_000_000
const withoutEnd = '\\ No newline at end of file'

class TooMuch extends Error {}

interface Line {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
}

/** Returns the lines of a text, each with its line feed. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Returns runs of lines that both texts have; nothing where finding them takes too long. */
function runsOf(before: readonly string[], after: readonly string[]): (readonly [number, number, number])[] {
  const runs: [number, number, number][] = []
  let left = maxComparisons
  try {
    findRuns(
      before.length,
      after.length,
      (x, y) => {
        if (left-- <= 0) throw new TooMuch()
        return before[x] === after[y]
      },
      (length, x, y) => runs.push([x, y, length]),
    )
    return runs
  } catch (error) {
    if (error instanceof TooMuch) return []
    throw error
  }
}

function changesOf(before: readonly string[], after: readonly string[]): Line[] {
  const lines: Line[] = []
  const add = (sign: Line['sign'], some: readonly string[]) => {
    for (const text of some) lines.push({ sign, text })
  }
  let [x, y] = [0, 0]
  for (const [toX, toY, length] of [...runsOf(before, after), [before.length, after.length, 0] as const]) {
    add('-', before.slice(x, toX))
    add('+', after.slice(y, toY))
    ;[x, y] = [toX + length, toY + length]
    add(' ', before.slice(toX, x))
  }
  return lines
}

/** Returns the first and last lines of each hunk: changes with the equal lines around them. */
function hunksOf(lines: readonly Line[]): (readonly [from: number, to: number])[] {
  const hunks: [number, number][] = []
  for (const [i, { sign }] of lines.entries()) {
    if (sign === ' ') continue
    const last = hunks.at(-1)
    const to = Math.min(lines.length, i + context + 1)
    if (last && i - context <= last[1]) last[1] = to
    else hunks.push([Math.max(0, i - context), to])
  }
  return hunks
}

const count = (lines: readonly Line[], without: Line['sign']) =>
  lines.filter(one => one.sign !== without).length

/** Returns the change of a text as a unified diff, which `patch` applies. @param name of the text, as of a file */
export function unifiedDiff(name: string, before: string, after: string): string {
  const lines = changesOf(linesOf(before), linesOf(after))
  const hunks = hunksOf(lines)
  if (hunks.length === 0) return ''
  const out = [`--- a/${name}\n`, `+++ b/${name}\n`]
  for (const [from, to] of hunks) {
    const hunk = lines.slice(from, to)
    const place = (without: Line['sign']) => {
      const length = count(hunk, without)
      const start = count(lines.slice(0, from), without)
      return `${length === 0 ? start : start + 1},${length}`
    }
    out.push(`@@ -${place('+')} +${place('-')} @@\n`)
    for (const { sign, text } of hunk)
      out.push(text.endsWith('\n') ? `${sign}${text}` : `${sign}${text}\n${withoutEnd}\n`)
  }
  return out.join('')
}
