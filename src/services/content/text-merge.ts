import { commonRuns } from './word-diff.js'

/** Parts of a text that are merged as a whole, and what joins them. */
interface Parts {
  readonly parts: readonly string[]
  readonly joint: string
}

/** Parts of the base that one side has replaced, `to` without; an insertion has an empty range. */
interface Hunk {
  readonly from: number
  readonly to: number
  readonly parts: readonly string[]
}

/** Texts that need more comparisons than this are not merged. */
const maxComparisons = 600_000

const tag = /<(\/?)([a-z][a-z0-9]*)\b[^>]*?(\/?)>/gi
const withoutEnd = new Set(['br', 'hr', 'img', 'input', 'wbr', 'col', 'source'])

/** Splits rich text behind each of its outermost elements; a text whose tags are in disorder is one part. */
function blocksOf(html: string): string[] {
  const blocks: string[] = []
  let depth = 0
  let from = 0
  for (const { 0: text, 1: slash, 2: name = '', 3: isClosed, index } of html.matchAll(tag)) {
    if (isClosed || withoutEnd.has(name.toLowerCase())) continue
    depth += slash ? -1 : 1
    if (depth < 0) return [html]
    if (depth > 0) continue
    blocks.push(html.slice(from, index + text.length))
    from = index + text.length
  }
  if (depth > 0) return [html]
  return from < html.length ? [...blocks, html.slice(from)] : blocks
}

const partsOf = (text: string, isRich: boolean): Parts =>
  isRich ? { parts: blocksOf(text), joint: '' } : { parts: text.split('\n'), joint: '\n' }

function hunksOf(base: readonly string[], side: readonly string[]): Hunk[] {
  const hunks: Hunk[] = []
  let [x, y] = [0, 0]
  const end = [base.length, side.length, 0] as const
  for (const [from, to, length] of [...commonRuns(base, side, maxComparisons), end]) {
    if (from > x || to > y) hunks.push({ from: x, to: from, parts: side.slice(y, to) })
    ;[x, y] = [from + length, to + length]
  }
  return hunks
}

const isSame = (one: Hunk, other: Hunk): boolean =>
  one.from === other.from && one.to === other.to && one.parts.join('\n') === other.parts.join('\n')

/** Parts that touch are a conflict too: nobody has seen them beside each other. */
const touches = (one: Hunk, other: Hunk): boolean => one.from <= other.to && other.from <= one.to

/**
 * Merges what two people have made of a text, by lines, or by the outermost elements of rich text.
 * @returns undefined where both have changed the same part or adjoining ones
 */
export function mergedText(base: string, mine: string, theirs: string, isRich: boolean): string | undefined {
  const before = partsOf(base, isRich)
  const own = hunksOf(before.parts, partsOf(mine, isRich).parts)
  const others = hunksOf(before.parts, partsOf(theirs, isRich).parts).filter(
    hunk => !own.some(one => isSame(one, hunk)),
  )
  if (others.some(hunk => own.some(one => touches(one, hunk)))) return undefined
  const parts = [...before.parts]
  for (const { from, to, parts: next } of [...own, ...others].sort((a, b) => b.from - a.from))
    parts.splice(from, to - from, ...next)
  return parts.join(before.joint)
}
