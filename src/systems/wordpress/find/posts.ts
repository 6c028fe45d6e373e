import type { EntryRow } from '../../../db/tables.js'
import { invalid, notFound } from '../../../errors.js'
import type { CompatSite, Written } from '../../../services/delivery/compat/compat.js'
import { all, any } from '../../../services/delivery/documents.js'
import type { EntryText } from '../../../services/delivery/query/entry-texts.js'
import { fieldNamed } from '../../../services/delivery/query/query-plan.js'
import {
  type FilterCondition,
  type FilterGroup,
  type QueryRequest,
  queryLimits,
} from '../../../services/delivery/query/query-request.js'
import { htmlOf } from '../../../services/delivery/rich-text/html.js'
import { searchedIds, titleFieldOf } from '../../documents.js'
import type { TypeMapping } from '../../mapping.js'
import type { AskedTime, WordpressRequest } from '../http/request.js'
import { chosenOf } from '../write/chosen.js'
import { stateOf } from '../write/page.js'
import { PostWriter } from '../write/post.js'
import { momentIn } from '../zone.js'
import { entriesByNumber, wordpressNames } from './numbers.js'
import { idsBySlug } from './slugs.js'

const childLevels = 10
export const beyondEnd = 'The page number requested is larger than the number of pages available.'
export const invalidPost = 'Invalid post ID.'

/** How many there are, and where the pages before and after are. */
export function pagingHeaders(
  { page, perPage, offset, self, query }: WordpressRequest,
  total: number,
): Record<string, string> {
  const pages = Math.ceil(total / perPage)
  if (page > 1 && page > pages && total > 0 && offset === undefined) throw invalid('page', beyondEnd)
  const to = (n: number, rel: string) => {
    const parameters = new URLSearchParams(query)
    parameters.set('page', String(n))
    return `<${self}?${parameters}>; rel="${rel}"`
  }
  const links = [
    ...(page > 1 ? [to(Math.min(page - 1, Math.max(pages, 1)), 'prev')] : []),
    ...(page < pages ? [to(page + 1, 'next')] : []),
  ]
  return {
    'X-WP-Total': String(total),
    'X-WP-TotalPages': String(pages),
    ...(links.length > 0 ? { Link: links.join(', ') } : {}),
  }
}

export const windowOf = ({ page, perPage, offset }: WordpressRequest): { limit: number; offset: number } => {
  const from = offset ?? (page - 1) * perPage
  if (from > queryLimits.offset) throw invalid('page', `can skip at most ${queryLimits.offset} entries`)
  return { limit: perPage, offset: from }
}

/** A condition on a column or field. */
export const where = (
  parameter: string,
  name: string,
  operator: FilterCondition['operator'],
  value: string,
): FilterCondition => ({ parameter, path: [name], operator, values: [value] })

/** A condition for entries with one of these ids. */
export const among = (parameter: string, ids: readonly string[], name = 'id'): FilterCondition => ({
  ...{ parameter, path: [name], operator: 'in' },
  values: ids.slice(0, queryLimits.values),
})

const not = (part: FilterCondition): FilterGroup => ({ all: true, not: true, parts: [part] })

/** The ids of entries by their numbers; entries that nobody sees are left out. */
export async function idsOf(site: CompatSite, numbers: readonly number[]): Promise<string[]> {
  if (numbers.length === 0) return []
  return (await entriesByNumber(site, numbers)).map(({ row }) => row.content_data_id)
}

/** The entry of a datatype with this number. */
export async function entryByNumber(
  site: CompatSite,
  { datatype_id }: TypeMapping['datatype'],
  number: number,
): Promise<EntryRow | undefined> {
  const found = await entriesByNumber(site, [number])
  return found.find(({ row }) => row.datatype_id === datatype_id)?.row
}

/** Addresses have an origin: that of the site, or the one that was asked. */
export const withOrigin = <T extends { readonly origin: string }>(
  context: T,
  { api }: Pick<WordpressRequest, 'api'>,
): T => (context.origin === '' ? { ...context, origin: new URL(api).origin } : context)

/** The conditions of a request that name entries of a list. */
export async function naming(
  site: CompatSite,
  datatype: TypeMapping['datatype'],
  { include, exclude, slugs }: WordpressRequest,
): Promise<(FilterCondition | FilterGroup)[]> {
  const parts: (FilterCondition | FilterGroup)[] = []
  if (include.length > 0) parts.push(among('include', await idsOf(site, include)))
  if (exclude.length > 0) parts.push(not(among('exclude', await idsOf(site, exclude))))
  if (slugs.length > 0) parts.push(among('slug', await idsBySlug(site.documents, datatype, slugs)))
  return parts
}

class PostFilter {
  readonly parts: (FilterCondition | FilterGroup)[] = []

  constructor(
    private readonly site: CompatSite,
    private readonly type: TypeMapping,
    private readonly request: WordpressRequest,
  ) {}

  async made(): Promise<FilterGroup> {
    const { request, parts, type, site } = this
    const { after, before, modifiedAfter, modifiedBefore } = request
    this.times('published_at', ['after', after], ['before', before])
    this.times('date_modified', ['modified_after', modifiedAfter], ['modified_before', modifiedBefore])
    parts.push(...(await naming(site, type.datatype, request)))
    await this.related('categories', request.categories, request.categoriesExclude)
    await this.related('tags', request.tags, request.tagsExclude)
    await this.related('author', request.authors, [])
    if (request.parents.length > 0) parts.push(await this.under(request.parents))
    return all(parts)
  }

  private times(column: string, ...bounds: readonly (readonly [string, AskedTime | undefined])[]): void {
    for (const [i, [parameter, asked]] of bounds.entries()) {
      if (!asked) continue
      const time = asked.isLocal ? momentIn(asked.time, this.type.zone) : asked.time
      this.parts.push(where(parameter, column, i === 0 ? 'gt' : 'lt', time))
    }
  }

  private async related(
    part: 'categories' | 'tags' | 'author',
    wanted: readonly number[],
    unwanted: readonly number[],
  ): Promise<void> {
    const field = this.type.parts[part]?.name
    if (wanted.length > 0)
      this.parts.push(
        field === undefined ? among(part, []) : among(part, await idsOf(this.site, wanted), field),
      )
    if (unwanted.length > 0 && field !== undefined)
      this.parts.push(not(among(part, await idsOf(this.site, unwanted), field)))
  }

  private async under(numbers: readonly number[]): Promise<FilterGroup> {
    const { documents } = this.site
    const rows = (await entriesByNumber(this.site, numbers)).map(({ row }) => row)
    const slugs = [...(await documents.slugsOf(rows)).values()]
    const parts = slugs.map(slug => where('parent', 'slug', 'under', slug))
    if (numbers.includes(0))
      parts.push(where('parent', 'slug', 'under', '/'), where('parent', 'slug', 'eq', '/'))
    return any(parts)
  }
}

function orderOf(
  { documents: { schema } }: CompatSite,
  { datatype }: TypeMapping,
  { orderby = 'date', order }: WordpressRequest,
): QueryRequest['sort'] | undefined {
  const descending = (order ?? 'desc') === 'desc'
  const own = titleFieldOf(schema, datatype)?.name
  const isTitled = !fieldNamed(schema, datatype.datatype_id, 'title')
  switch (orderby) {
    case 'date':
      return [{ name: 'published_at', descending }]
    case 'modified':
      return [{ name: 'date_modified', descending }]
    case 'id':
      return [{ name: 'id', descending }]
    // Entries of different trees have no place among each other but that in which they were made.
    case 'menu_order':
      return [{ name: 'id', descending: order === 'desc' }]
    case 'slug':
      return [{ name: 'slug', descending }]
    case 'title':
      return isTitled
        ? [{ name: 'title', descending }, ...(own ? [{ name: own, descending }] : [])]
        : [{ name: 'title', descending }]
    case 'include':
    case 'relevance':
      return undefined
    default:
      throw invalid('orderby', `${orderby.slice(0, 40)} is not supported`)
  }
}

const statusOf = (entry: EntryRow): string => stateOf(entry).status

async function found(site: CompatSite, type: TypeMapping, request: WordpressRequest) {
  const { documents } = site
  const { datatype } = type
  const filter = await new PostFilter(site, type, request).made()
  const ranked = request.search === '' ? undefined : await searchedIds(site, datatype, request.search)
  const parts = ranked ? [...filter.parts, among('search', ranked)] : filter.parts
  const isRanked = ranked !== undefined && request.orderby === undefined
  const sort = isRanked ? undefined : orderOf(site, type, request)
  const statuses = request.statuses
  const asked = {
    ...{ datatype, filter: all(parts), locale: '', count: true },
    isWanted: (entry: EntryRow) => statuses.has('any') || statuses.has(statusOf(entry)),
  }
  if (sort) {
    const { ids, count = 0 } = await documents.find({ ...asked, ...windowOf(request), sort })
    return { ids, count }
  }
  // The order of the search results or of the named ids, which are few.
  const order = ranked ?? (await idsOf(site, request.include))
  const { ids } = await documents.find({ ...asked, limit: queryLimits.values, offset: 0, sort: [] })
  const seen = new Set(ids)
  const inOrder = [...new Set(order)].filter(id => seen.has(id))
  const { limit, offset } = windowOf(request)
  return { ids: inOrder.slice(offset, offset + limit), count: inOrder.length }
}

const showsTexts = ({ fields }: WordpressRequest): boolean =>
  !fields || fields.some(([first = '']) => ['content', 'excerpt', 'acf'].includes(first))

const parentOf = (slug: string | undefined): string => slug?.slice(0, slug.lastIndexOf('/')) ?? ''

async function written(
  site: CompatSite,
  type: TypeMapping,
  ids: readonly string[],
  request: WordpressRequest,
): Promise<EntryText[]> {
  const { documents, types } = site
  const { api, embed, fields } = request
  const { trees, context, small } = await documents.shown(ids, {
    ...{ locale: '', writeRich: htmlOf, namesOf: wordpressNames(site) },
    children: showsTexts(request) ? childLevels : 0,
  })
  const above = trees.map(({ route }) => parentOf(route?.slug)).filter(slug => slug !== '')
  const parents = type.wordpress === 'posts' ? new Map<string, EntryRow>() : await documents.atSlugs(above)
  const named = await wordpressNames(site)({
    entries: [...parents.values()].map(({ content_data_id }) => content_data_id),
    media: [],
  })
  const numberOf = (row: EntryRow | undefined) =>
    row ? (named.numbers.get(row.content_data_id) ?? row.numeric_id) : 0
  const writer = new PostWriter({ context: withOrigin(context, request), types, api, type, embed })
  return trees.map(tree => {
    const parent = numberOf(parents.get(parentOf(tree.route?.slug)))
    const json = fields ? chosenOf(writer.parts(tree, parent), fields) : writer.whole(tree, parent)
    const { content_data_id: id } = tree.root.entry
    return { id, json, isSmall: small.has(id) }
  })
}

/** The type with this route, opened. @throws 404 without one */
async function typeAt(site: CompatSite, base: string): Promise<TypeMapping> {
  const type = site.types.find(({ wordpress }) => wordpress === base)
  await site.open(type?.datatype)
  if (!type) throw notFound()
  return type
}

/** `wp/v2/posts`, `wp/v2/pages` and the route of every other datatype. */
export async function wordpressPosts(
  site: CompatSite,
  base: string,
  request: WordpressRequest,
): Promise<Written> {
  const { api, fields, embed } = request
  const type = await typeAt(site, base)
  const { ids, count } = await found(site, type, request)
  const shape = JSON.stringify([type.wordpress, api, fields, embed instanceof Set ? [...embed] : embed])
  const posts = await site.documents.written(ids, shape, some => written(site, type, some, request))
  return { text: `[${posts.join(',')}]`, headers: pagingHeaders(request, count) }
}

export async function wordpressPostById(
  site: CompatSite,
  base: string,
  number: number,
  request: WordpressRequest,
): Promise<Written> {
  const type = await typeAt(site, base)
  const row = await entryByNumber(site, type.datatype, number)
  const [post] = row ? await written(site, type, [row.content_data_id], request) : []
  if (!post) throw notFound(invalidPost)
  return { text: post.json }
}
