import type { Term } from '../../../db/full-text.js'
import type { Pieces } from '../../../turns.js'
import { indexedWord, wordsOf } from '../../content/search-words.js'

const [before, inAll] = [60, 200]
const wordsAtOnce = 200

const isFound = (indexed: string, terms: readonly Term[]): boolean =>
  terms.some(({ word, isPrefix }) => (isPrefix ? indexed.startsWith(word) : indexed === word))

/** A part of a piece of text: a word that was found, or the text around it. */
export interface Part {
  readonly text: string
  readonly isFound: boolean
}

interface Range {
  from: number
  to: number
}

/** The first place at or after `at` that does not divide a character, or a word where there is a blank near. */
function between(text: string, at: number, isEnd: boolean): number {
  if (at <= 0) return 0
  if (at >= text.length) return text.length
  const blank = isEnd ? text.lastIndexOf(' ', at) : text.indexOf(' ', at)
  if (blank >= 0 && Math.abs(blank - at) < 20) return isEnd ? blank : blank + 1
  return text.charCodeAt(at) >= 0xdc00 && text.charCodeAt(at) <= 0xdfff ? at + 1 : at
}

/**
 * A piece of a text around the first of the words, on one line.
 * @returns undefined if no word is in the text
 */
export function* highlight(text: string, terms: readonly Term[]): Pieces<Part[] | undefined> {
  const ranges: Range[] = []
  let n = 0
  for (const { word, from, to } of wordsOf(text)) {
    if (++n % wordsAtOnce === 0) yield
    const [first] = ranges
    if (first && from > first.from + inAll) break
    if (!isFound(indexedWord(word), terms)) continue
    const last = ranges.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else ranges.push({ from, to })
  }
  const [first] = ranges
  if (!first) return undefined
  const start = Math.min(between(text, first.from - before, false), first.from)
  const end = Math.max(between(text, start + inAll, true), first.to)
  const parts: Part[] = []
  const add = (piece: string, isFound = false) => parts.push({ text: piece.replace(/\s+/g, ' '), isFound })
  if (start > 0) add('…')
  let at = start > 0 ? start : text.search(/\S/)
  for (const { from, to } of ranges) {
    if (to > end) break
    add(text.slice(at, from))
    add(text.slice(from, to), true)
    at = to
  }
  const rest = text.slice(at, end)
  add(end < text.length ? `${rest}…` : rest.trimEnd())
  return parts
}
