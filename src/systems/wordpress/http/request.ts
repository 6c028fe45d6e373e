import { invalid } from '../../../errors.js'
import { type NestedMap, nestedQuery, numberOf, parameterText, textsOf } from '../../brackets.js'

/** Parameters that choose entries and that nothing here answers: to ignore them would give others. */
const unanswered: ReadonlySet<string> = new Set([
  ...['author_exclude', 'parent_exclude', 'tax_relation', 'search_columns'],
  ...['roles', 'meta_key', 'meta_value', 'menu_order', 'password'],
])
const maxListed = 100
const [standardSize, maxSize] = [10, 100]
const statuses: ReadonlySet<string> = new Set(['publish', 'future', 'draft', 'any'])

function numbersOf(query: NestedMap, name: string): number[] {
  const texts = textsOf(name, query.get(name))
  if (texts.length > maxListed) throw invalid(name, `must have at most ${maxListed} ids`)
  return texts.map(text => {
    if (!/^\d{1,15}$/.test(text)) throw invalid(name, 'must be ids, which are whole numbers')
    return Number(text)
  })
}

/** A time, or one without a zone as if it were in UTC: it is in the zone of the site. */
export interface AskedTime {
  readonly time: string
  readonly isLocal: boolean
}

function timeOf(query: NestedMap, name: string): AskedTime | undefined {
  const text = parameterText(name, query.get(name))
  if (text === undefined || text === '') return undefined
  const isWhole = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)
  const hasZone = /(?:Z|[+-]\d\d:\d\d)$/.test(text) && text.includes('T')
  const time = new Date(hasZone || !text.includes('T') ? text : `${text}Z`)
  if (!isWhole || Number.isNaN(time.getTime())) throw invalid(name, 'must be a date or time')
  return { time: time.toISOString(), isLocal: !hasZone }
}

function statusesOf(query: NestedMap): ReadonlySet<string> {
  const given = textsOf('status', query.get('status'))
  for (const status of given)
    if (!statuses.has(status)) throw invalid('status', 'must be publish, future, draft or any')
  return new Set(given.length === 0 ? ['publish'] : given)
}

function embedOf(query: NestedMap): boolean | ReadonlySet<string> {
  if (!query.has('_embed')) return false
  const names = textsOf('_embed', query.get('_embed')).filter(name => !/^(?:true|1|)$/.test(name))
  return names.length === 0 ? true : new Set(names)
}

function orderOf(query: NestedMap): 'asc' | 'desc' | undefined {
  const order = parameterText('order', query.get('order'))?.toLowerCase()
  if (order === undefined || order === 'asc' || order === 'desc') return order
  throw invalid('order', 'must be asc or desc')
}

/** True if `sticky` is `true`, `1` or empty: only sticky posts are requested, which never exist here. */
const wantsSticky = (query: NestedMap): boolean =>
  ['true', '1'].includes(parameterText('sticky', query.get('sticky')) ?? '')

function fieldsOf(query: NestedMap): string[][] | undefined {
  const names = textsOf('_fields', query.get('_fields'))
  if (names.length > maxListed) throw invalid('_fields', `must have at most ${maxListed} names`)
  return names.length === 0 ? undefined : names.map(name => name.split('.').slice(0, 10))
}

function slugsOf(query: NestedMap): string[] {
  const slugs = textsOf('slug', query.get('slug'))
  if (slugs.length > maxListed) throw invalid('slug', `must have at most ${maxListed} slugs`)
  return slugs
}

const noNumber = 0

/** A request for a list. */
export type WordpressRequest = ReturnType<typeof wordpressRequest>

/**
 * Reads the parameters of a list.
 * @param api the address of `wp/v2`
 * @throws 400 that names the parameter
 */
export function wordpressRequest(url: string, api: string) {
  const at = url.indexOf('?')
  const search = at < 0 ? '' : url.slice(at + 1)
  const query = nestedQuery(search)
  for (const name of query.keys()) if (unanswered.has(name)) throw invalid(name, 'is not supported')
  const number = (name: string, least: number, standard: number, most = 1_000_000) =>
    numberOf(name, query.get(name), { least, most, standard })
  const text = (name: string) => parameterText(name, query.get(name))
  if ((text('context') ?? 'view') === 'edit') throw invalid('context', 'edit is not supported')
  const [post] = numbersOf(query, 'post')
  return {
    page: number('page', 1, 1),
    perPage: number('per_page', 1, standardSize, maxSize),
    offset: query.has('offset') ? number('offset', 0, 0) : undefined,
    search: (text('search') ?? '').trim(),
    slugs: slugsOf(query),
    hideEmpty: ['true', '1'].includes(text('hide_empty') ?? ''),
    include: wantsSticky(query) ? [noNumber] : numbersOf(query, 'include'),
    exclude: numbersOf(query, 'exclude'),
    parents: numbersOf(query, 'parent'),
    categories: numbersOf(query, 'categories'),
    categoriesExclude: numbersOf(query, 'categories_exclude'),
    tags: numbersOf(query, 'tags'),
    tagsExclude: numbersOf(query, 'tags_exclude'),
    authors: numbersOf(query, 'author'),
    post,
    after: timeOf(query, 'after'),
    before: timeOf(query, 'before'),
    modifiedAfter: timeOf(query, 'modified_after'),
    modifiedBefore: timeOf(query, 'modified_before'),
    orderby: text('orderby')?.toLowerCase(),
    order: orderOf(query),
    statuses: statusesOf(query),
    fields: fieldsOf(query),
    embed: embedOf(query),
    api,
    self: at < 0 ? url : url.slice(0, at),
    query: search,
  }
}
