/** A piece of two texts: of both, or of one alone. */
export interface Piece {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Tags, white space, words, and any other character alone. */
const token = /<\/?[a-z][^<>]*>|\s+|[\p{L}\p{N}\p{M}_]+|./gsu
const tokensIn = (text: string): string[] => text.match(token) ?? []

/** Texts that need more changes than this are one that goes and one that comes: each change costs a round of them all. */
const maxChanges = 1000

type Step = readonly [before: number, after: number]

/** How far a path of each diagonal has come, for each number of changes; undefined where that takes too many. */
function furthest(before: readonly string[], after: readonly string[]): Int32Array[] | undefined {
  const rounds: Int32Array[] = []
  let last = new Int32Array([0, 0, 0])
  for (let changes = 0; changes <= maxChanges; changes++) {
    const now = new Int32Array(2 * changes + 3)
    for (let i = 1; i <= 2 * changes + 1; i += 2) {
      const diagonal = i - 1 - changes
      let x = changes === 0 ? 0 : nextOn(last, i, changes)
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++
      now[i] = x
      if (x >= before.length && x - diagonal >= after.length) return [...rounds, now]
    }
    rounds.push(now)
    last = now
  }
  return undefined
}

/** Where a path on this diagonal goes on: one token of `after` more, or one of `before`. */
function nextOn(last: Int32Array, i: number, changes: number): number {
  // A round has one diagonal more at each side than the round before it.
  const [left, right] = [last[i - 2] ?? 0, last[i] ?? 0]
  const isDown = i === 1 || (i !== 2 * changes + 1 && left < right)
  return isDown ? right : left + 1
}

/** The tokens that both have, from the first to the last. */
function commonSteps(
  rounds: readonly Int32Array[],
  before: readonly string[],
  after: readonly string[],
): Step[] {
  const steps: Step[] = []
  let [x, y] = [before.length, after.length]
  for (let changes = rounds.length - 1; changes >= 0; changes--) {
    const i = x - y + changes + 1
    const last = rounds[changes - 1]
    const start = last ? nextOn(last, i, changes) : 0
    for (; x > start; x--, y--) steps.push([x - 1, y - 1])
    if (!last) break
    const isDown = i === 1 || (i !== 2 * changes + 1 && (last[i - 2] ?? 0) < (last[i] ?? 0))
    if (isDown) y--
    else x--
  }
  return steps.reverse()
}

/**
 * What changes one text into another, word by word, with as few words as can be.
 * @returns pieces: those that are not `added` make up `before`, those that are not `removed` make up `after`
 */
export function wordDiff(before: string, after: string): Piece[] {
  const [from, to] = [tokensIn(before), tokensIn(after)]
  const rounds = furthest(from, to)
  const steps = rounds ? commonSteps(rounds, from, to) : []
  const pieces: { kind: Piece['kind']; text: string }[] = []
  const add = (kind: Piece['kind'], text: string) => {
    const last = pieces.at(-1)
    if (last?.kind === kind) last.text += text
    else if (text !== '') pieces.push({ kind, text })
  }
  let [x, y] = [0, 0]
  for (const [atBefore, atAfter] of [...steps, [from.length, to.length] as const]) {
    add('removed', from.slice(x, atBefore).join(''))
    add('added', to.slice(y, atAfter).join(''))
    add('same', from[atBefore] ?? '')
    ;[x, y] = [atBefore + 1, atAfter + 1]
  }
  return pieces
}
