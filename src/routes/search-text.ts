import { invalid } from '../errors.js'
import { localeCode } from '../services/content/locales.js'
import { listOf } from '../services/delivery/expand.js'
import { wholeNumber } from '../services/delivery/query/query-request.js'
import type { Part } from '../services/delivery/search/highlights.js'
import type { Found } from '../services/delivery/search/search.js'
import { type SearchRequest, searchRequestLimits } from '../services/delivery/search/search-request.js'

const names = ['q', 'type', 'locale', 'limit', 'offset', 'count'] as const

/**
 * Reads a search from the parameters of an address, or from the options of a command.
 * @throws 400 that names the parameter: unknown, given twice, or with a value that it does not take
 */
export function searchRequest(parameters: Iterable<readonly [string, string]>): SearchRequest {
  const given = new Map<string, string>()
  for (const [name, value] of parameters) {
    const known = names.find(one => one === name)
    if (!known) throw invalid(name.slice(0, 100), `unknown parameter; use ${names.join(', ')}`)
    if (given.has(name)) throw invalid(name, 'is given twice')
    given.set(name, value)
  }
  const [words = '', count = 'false', locale = ''] = ['q', 'count', 'locale'].map(name => given.get(name))
  if (count !== 'true' && count !== 'false') throw invalid('count', 'must be true or false')
  if (locale !== '' && !localeCode.safeParse(locale).success)
    throw invalid('locale', 'must be a language tag such as de or de-AT')
  const { limit, standardLimit, ranked } = searchRequestLimits
  return {
    words,
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

const marks: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, mark => marks[mark] ?? mark)

/** A piece of a text as HTML: matches are in `<mark>`, and everything else is escaped. */
export const htmlOf = (parts: readonly Part[]): string =>
  parts.map(({ text, isFound }) => (isFound ? `<mark>${escaped(text)}</mark>` : escaped(text))).join('')

/** Search results as the API answers them. */
export function searchText({ results, next, count }: Found): string {
  const data = results.map(result => ({
    ...result,
    highlights: result.highlights.map(({ field, parts }) => ({ field, html: htmlOf(parts) })),
  }))
  return JSON.stringify({ data, meta: { next, count } })
}
