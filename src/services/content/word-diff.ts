import sequences from '@jest/diff-sequences'
import { type Pieces, Turns } from '../../turns.js'

/** A piece of two texts: of both, or of one alone. */
export interface Piece {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

// Its types are those of the module that `require` gives.
const findRuns = sequences as unknown as typeof sequences.default

/** Tags, white space, words, and any other character alone. */
const token = /<\/?[a-z][^<>]*>|\s+|[\p{L}\p{N}\p{M}_]+|./gsu
/** The token, or half of a pair, that may go on behind the end of a text, read backwards, or in front of its beginning. */
const lastToken = /^(?:[^<>]*<|\s+|[\p{L}\p{N}\p{M}_\ud800-\udfff]+)/u
const firstToken = /^(?:[^<>]*>|\s+|[\p{L}\p{N}\p{M}_\ud800-\udfff]+)/u
/** A word or tag that is longer is cut where two texts begin to differ. */
const maxToken = 1000

/** Texts that need more comparisons than this, some 1,000 changes, are one that goes and one that comes. It takes 15 ms. */
const maxComparisons = 600_000
/** Characters and comparisons of all texts of one page; later ones are replaced as a whole. */
const maxWork = 2_000_000
const tokensPerPiece = 2000

interface Work {
  left: number
}

type Run = readonly [before: number, after: number, length: number]

class TooMuch extends Error {}

function* tokensIn(text: string): Pieces<string[]> {
  const tokens: string[] = []
  for (const [one] of text.matchAll(token)) if (tokens.push(one) % tokensPerPiece === 0) yield
  return tokens
}

/** How many characters two texts have in common at their beginning, but for a token that goes on in one of them. */
function commonStart(before: string, after: string): number {
  const most = Math.min(before.length, after.length)
  let end = 0
  while (end < most && before.charCodeAt(end) === after.charCodeAt(end)) end++
  const backwards = [...before.slice(Math.max(0, end - maxToken), end)].reverse().join('')
  const [open = ''] = lastToken.exec(backwards) ?? []
  return end - open.length
}

function commonEnd(before: string, after: string, start: number): number {
  const most = Math.min(before.length, after.length) - start
  let length = 0
  const [lastBefore, lastAfter] = [before.length - 1, after.length - 1]
  while (length < most && before.charCodeAt(lastBefore - length) === after.charCodeAt(lastAfter - length))
    length++
  const from = before.length - length
  const [open = ''] = firstToken.exec(before.slice(from, from + Math.min(length, maxToken))) ?? []
  return length - open.length
}

/** The longest list of tokens that both have; nothing where finding it takes more comparisons than `most`. */
export const commonRuns = (before: readonly string[], after: readonly string[], most: number): Run[] =>
  common(before, after, { left: most })

function common(before: readonly string[], after: readonly string[], work: Work): Run[] {
  const runs: Run[] = []
  const end = Math.max(0, work.left - maxComparisons)
  try {
    findRuns(
      before.length,
      after.length,
      (x, y) => {
        if (work.left-- <= end) throw new TooMuch()
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

function* difference(before: string, after: string, work: Work): Pieces<Piece[]> {
  const pieces: { kind: Piece['kind']; text: string }[] = []
  const add = (kind: Piece['kind'], text: string) => {
    const last = pieces.at(-1)
    if (last?.kind === kind) last.text += text
    else if (text !== '') pieces.push({ kind, text })
  }
  const start = commonStart(before, after)
  const end = commonEnd(before, after, start)
  const [one, two] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  add('same', before.slice(0, start))
  work.left -= one.length + two.length
  if (one === '' || two === '' || work.left <= 0) {
    add('removed', one)
    add('added', two)
  } else {
    const [from, to] = [yield* tokensIn(one), yield* tokensIn(two)]
    let [x, y] = [0, 0]
    for (const [atBefore, atAfter, length] of [
      ...common(from, to, work),
      [from.length, to.length, 0] as const,
    ]) {
      add('removed', from.slice(x, atBefore).join(''))
      add('added', to.slice(y, atAfter).join(''))
      ;[x, y] = [atBefore + length, atAfter + length]
      add('same', from.slice(atBefore, x).join(''))
    }
  }
  add('same', before.slice(before.length - end))
  return pieces
}

/**
 * Finds the words that change texts into others, as few as possible. All texts of one page have their limit of work
 * together, and other requests have their turn meanwhile.
 * @returns pieces of each: those that are not `added` make up `before`, those that are not `removed` make up `after`
 */
export async function wordDiffs(
  texts: readonly (readonly [before: string, after: string])[],
): Promise<Piece[][]> {
  const turns = new Turns()
  const work: Work = { left: maxWork }
  const found: Piece[][] = []
  for (const [before, after] of texts) {
    found.push(await turns.run(difference(before, after, work)))
    await turns.next()
  }
  return found
}
