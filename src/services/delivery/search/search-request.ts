import type { Term, Terms } from '../../../db/full-text.js'
import { invalid } from '../../../errors.js'
import { limits } from '../../../limits.js'
import { indexedWord, wordsOf } from '../../content/search-words.js'

/** A search as its request gives it. See docs/search.md. */
export interface SearchRequest {
  readonly words: string
  readonly types?: readonly string[] | undefined
  readonly locale?: string
  readonly limit: number
  readonly offset?: number
  readonly count?: boolean
}

/** Limits of one search. */
export const searchRequestLimits = {
  ...limits.search,
  beginning: 2,
}

/**
 * Each word once, the last one as a beginning. In scripts without blanks one character is the beginning of a word.
 * @throws 400 for blanks, and for more than a search takes
 */
export function wordsIn(q: string): Term[] {
  const { characters, words, beginning } = searchRequestLimits
  if (q.trim() === '') throw invalid('q', 'must have at least one word')
  if (q.length > characters) throw invalid('q', `must have at most ${characters} characters`)
  const all = [...wordsOf(q, true)].map(({ word }) => word)
  const found = new Map<string, Term>()
  for (const [i, word] of all.entries()) {
    const isLast = i === all.length - 1
    const isLong = [...word].length >= beginning || /[^\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{N}]/u.test(word)
    const isPrefix = isLast && isLong
    const indexed = indexedWord(word)
    // A word that is looked for as a whole says more than its beginning.
    if (!(isPrefix && found.has(indexed))) found.set(indexed, { word: indexed, isPrefix })
  }
  if (found.size > words) throw invalid('q', `must have at most ${words} different words`)
  return [...found.values()]
}

/** The words in any of the locales, which begin with one of the tags; with datatypes in front where there are any. */
export const termsOf = (
  words: readonly Term[],
  tags: readonly string[],
  datatypes: readonly string[] | undefined,
): Terms => [
  ...(datatypes ? [datatypes.map(word => ({ word, isPrefix: false }))] : []),
  ...words.map(({ word, isPrefix }) => tags.map(tag => ({ word: tag + word, isPrefix }))),
]
