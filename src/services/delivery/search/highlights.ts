import type { Term } from '../../../db/full-text.js'
import type { Pieces } from '../../../turns.js'
import { indexedWord, wordsOf } from '../../content/search-words.js'

/** Characters around the first word that is found, before it and in all. */
const [before, inAll] = [60, 200]
const wordsAtOnce = 200

const marks: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, mark => marks[mark] ?? mark)

const isFound = (indexed: string, terms: readonly Term[]): boolean =>
  terms.some(({ word, isPrefix }) => (isPrefix ? indexed.startsWith(word) : indexed === word))

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
 * A piece of a text around the first of the words, as HTML: they are in `<mark>`, and everything else is escaped.
 * @returns undefined where the text has none of them
 */
export function* highlight(text: string, terms: readonly Term[]): Pieces<string | undefined> {
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
  const pieces = [start > 0 ? '…' : '']
  let at = start
  for (const { from, to } of ranges) {
    if (to > end) break
    pieces.push(escaped(text.slice(at, from)), '<mark>', escaped(text.slice(from, to)), '</mark>')
    at = to
  }
  pieces.push(escaped(text.slice(at, end)), end < text.length ? '…' : '')
  return pieces.join('').replace(/\s+/g, ' ').trim()
}
