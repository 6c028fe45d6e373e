import { type Pieces, Turns } from '../turns.js'

/** A piece of two texts: of both, or of one alone. */
export interface Piece {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Tags, white space, words, and any other character alone. */
const token = /<\/?[a-z][^<>]*>|\s+|[\p{L}\p{N}\p{M}_]+|./gsu

/** Texts that need more changes than this are one that goes and one that comes: each change costs a round of them all. */
const maxChanges = 1000
/** Characters that are looked at and steps that are taken for all texts of one page; later ones are replaced as a whole. */
const maxWork = 2_000_000
/** After so many tokens or rounds others may have their turn. */
const [tokensPerPiece, roundsPerPiece] = [2000, 20]
/** A word or tag that is longer is cut where two texts begin to differ. */
const maxToken = 1000

interface Work {
  left: number
}

type Step = readonly [before: number, after: number]

function* tokensIn(text: string): Pieces<string[]> {
  const tokens: string[] = []
  for (const [one] of text.matchAll(token)) if (tokens.push(one) % tokensPerPiece === 0) yield
  return tokens
}

/** Characters of words; half of a pair may be one. */
const inWord = /[\p{L}\p{N}\p{M}_\ud800-\udfff]/u
const inSpace = /\s/

/** How far a run of characters that may be one token goes from a place on; 0 for one that is too long. */
function runFrom(text: string, at: number, by: 1 | -1): number {
  const first = text.charAt(at)
  const kind = [inWord, inSpace].find(one => one.test(first))
  let length = 0
  while (kind?.test(text.charAt(at + by * length)) && length <= maxToken) length++
  return length > maxToken ? 0 : length
}

/** How many characters two texts have in common at their beginning, but for a token that goes on in one of them. */
function commonStart(before: string, after: string): number {
  const most = Math.min(before.length, after.length)
  let end = 0
  while (end < most && before.charCodeAt(end) === after.charCodeAt(end)) end++
  if (end === 0) return 0
  // No tag has another `<` in it.
  const tag = before.lastIndexOf('<', end - 1)
  if (tag > before.lastIndexOf('>', end - 1) && end - tag <= maxToken) return tag
  return end - runFrom(before, end - 1, -1)
}

/** The same at their end, behind what they have in common at their beginning. */
function commonEnd(before: string, after: string, start: number): number {
  const most = Math.min(before.length, after.length) - start
  let length = 0
  while (
    length < most &&
    before.charCodeAt(before.length - 1 - length) === after.charCodeAt(after.length - 1 - length)
  )
    length++
  if (length === 0) return 0
  const at = before.length - length
  const [tag, end] = [before.indexOf('<', at), before.indexOf('>', at)]
  if (end >= 0 && (tag < 0 || end < tag) && end - at < maxToken) return before.length - end - 1
  return length - runFrom(before, at, 1)
}

/** How far a path of each diagonal has come, for each number of changes; undefined where that takes too many. */
function* furthest(
  before: readonly string[],
  after: readonly string[],
  work: Work,
): Pieces<Int32Array[] | undefined> {
  const rounds: Int32Array[] = []
  let last = new Int32Array([0, 0, 0])
  for (let changes = 0; changes <= maxChanges && work.left > 0; changes++) {
    if (changes % roundsPerPiece === roundsPerPiece - 1) yield
    const now = new Int32Array(2 * changes + 3)
    for (let i = 1; i <= 2 * changes + 1; i += 2) {
      const diagonal = i - 1 - changes
      const from = changes === 0 ? 0 : nextOn(last, i, changes)
      let x = from
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++
      work.left -= 1 + x - from
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
    const rounds = yield* furthest(from, to, work)
    const steps = rounds ? commonSteps(rounds, from, to) : []
    let [x, y] = [0, 0]
    for (const [atBefore, atAfter] of [...steps, [from.length, to.length] as const]) {
      add('removed', from.slice(x, atBefore).join(''))
      add('added', to.slice(y, atAfter).join(''))
      add('same', from[atBefore] ?? '')
      ;[x, y] = [atBefore + 1, atAfter + 1]
    }
  }
  add('same', before.slice(before.length - end))
  return pieces
}

/**
 * What changes texts into others, word by word, with as few words as can be. All texts of one page have their limit of work
 * together, and others have their turn meanwhile.
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
