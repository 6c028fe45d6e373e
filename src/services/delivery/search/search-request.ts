import type { Term, Terms } from '../../../db/full-text.js'
import { invalid } from '../../../errors.js'
import { localeCode } from '../../content/locales.js'
import { indexedWord, wordsOf } from '../../content/search-words.js'
import { listOf } from '../expand.js'

/** What a search asks for, as its address says it. See docs/search.md. */
export interface SearchRequest {
  readonly words: readonly Term[]
  /** Names of datatypes; undefined for all. */
  readonly types: readonly string[] | undefined
  readonly locale: string
  readonly limit: number
  readonly offset: number
  readonly count: boolean
}

/** Limits of one search. */
export const searchRequestLimits = {
  characters: 200,
  words: 12,
  types: 20,
  limit: 50,
  standardLimit: 20,
  /** How many entries are put into an order. */
  ranked: 1000,
  /** How many are counted. */
  counted: 10_000,
  /** The last word is looked for as a beginning when it has so many characters. */
  beginning: 2,
}

const names = ['q', 'type', 'locale', 'limit', 'offset', 'count'] as const

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const number = Number(text)
  if (!/^\d{1,9}$/.test(text) || number < least || number > most)
    throw invalid(name, `must be a whole number from ${least} to ${most}`)
  return number
}

/** Each word once, the last one as a beginning. In scripts without blanks one character is the beginning of a word. */
function wordsIn(q: string): Term[] {
  const { characters, words, beginning } = searchRequestLimits
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

/** @throws 400 that names the parameter: unknown, given twice, or with a value that it does not take */
export function searchRequest(parameters: URLSearchParams): SearchRequest {
  const given = new Map<string, string>()
  for (const [name, value] of parameters) {
    const known = names.find(one => one === name)
    if (!known) throw invalid(name.slice(0, 100), `there is no such parameter; there are ${names.join(', ')}`)
    if (given.has(name)) throw invalid(name, 'is given twice')
    given.set(name, value)
  }
  const [q = '', count = 'false', locale = ''] = ['q', 'count', 'locale'].map(name => given.get(name))
  if (q.trim() === '') throw invalid('q', 'must have a word to look for')
  if (count !== 'true' && count !== 'false') throw invalid('count', 'must be true or false')
  if (locale !== '' && !localeCode.safeParse(locale).success)
    throw invalid('locale', 'must be a language tag such as de or de-AT')
  const { limit, standardLimit, ranked } = searchRequestLimits
  return {
    words: wordsIn(q),
    types: given.has('type') ? typesIn(given.get('type') ?? '') : undefined,
    locale,
    limit: wholeNumber('limit', given.get('limit') ?? `${standardLimit}`, 1, limit),
    offset: wholeNumber('offset', given.get('offset') ?? '0', 0, ranked),
    count: count === 'true',
  }
}

function typesIn(text: string): string[] {
  const types = [...new Set(listOf(text))]
  if (types.length === 0) throw invalid('type', 'must have names of datatypes such as post,page')
  if (types.length > searchRequestLimits.types)
    throw invalid('type', `must have at most ${searchRequestLimits.types} names`)
  return types
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
