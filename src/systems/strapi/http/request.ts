import { invalid } from '../../../errors.js'
import type { Ctx } from '../../../middleware/context.js'
import { localeCode } from '../../../services/content/locales.js'
import { type Nested, type NestedMap, nestedQuery, numberOf, parameterText } from '../../brackets.js'
import { chosenBy, compatPrefix, searchOf } from '../../root.js'
import { filtersOf } from './filters.js'
import { fieldsOf, populateOf } from './populate.js'
import { sortsOf } from './sort.js'

/** The roots of version 5, and of version 4, whose front ends send no header that would distinguish them. */
export const [root5, root4] = ['/api', '/v4/api'] as const
const standardSize = 25
const maxSize = 100

/** How pages of a list are counted, and so how the answer describes them. */
export type StrapiPaging =
  | { readonly by: 'page'; readonly page: number; readonly size: number; readonly count: boolean }
  | { readonly by: 'start'; readonly start: number; readonly limit: number; readonly count: boolean }

function pagingOf(query: NestedMap): StrapiPaging {
  const given = query.get('pagination')
  if (typeof given === 'string') throw invalid('pagination', 'must be written as pagination[page]=1')
  const at = (name: string) => given?.get(name)
  const count = parameterText('pagination[withCount]', at('withCount')) !== 'false'
  const byStart = at('start') !== undefined || at('limit') !== undefined
  if (byStart && (at('page') !== undefined || at('pageSize') !== undefined))
    throw invalid(
      'pagination',
      'Invalid pagination attributes. The page parameters are incorrect and must be defined',
    )
  const bounds = { least: 0, most: 1_000_000, standard: 0 }
  if (byStart) {
    const start = numberOf('pagination[start]', at('start'), bounds)
    const limit = numberOf('pagination[limit]', at('limit'), { ...bounds, least: -1, standard: standardSize })
    return { by: 'start', start, limit: limit < 1 ? maxSize : Math.min(limit, maxSize), count }
  }
  // Numbers below one count as one, as in Strapi.
  const whole = { ...bounds, least: -bounds.most }
  const page = numberOf('pagination[page]', at('page'), { ...whole, standard: 1 })
  const size = numberOf('pagination[pageSize]', at('pageSize'), { ...whole, standard: standardSize })
  const least = { page: Math.max(1, page), size: Math.max(1, Math.min(size, maxSize)) }
  return { by: 'page', ...least, count }
}

/** Separates a locale in `filters` from the other filters; it counts like the `locale` parameter. */
function localeAmong(filters: Nested | undefined): {
  filters: Nested | undefined
  locale: string | undefined
} {
  const asked = typeof filters === 'object' ? filters.get('locale') : undefined
  const locale = typeof asked === 'object' && asked.size === 1 ? asked.get('$eq') : asked
  if (typeof filters !== 'object' || typeof locale !== 'string') return { filters, locale: undefined }
  return { filters: new Map([...filters].filter(([name]) => name !== 'locale')), locale }
}

function localeOf(query: NestedMap, filtered: string | undefined): string {
  const given = parameterText('locale', query.get('locale'))
  if (given !== undefined && filtered !== undefined && given !== filtered)
    throw invalid('filters[locale]', 'must be the same locale as in the parameter')
  const locale = given ?? filtered ?? ''
  if (locale !== '' && !localeCode.safeParse(locale).success)
    throw invalid('locale', 'must be one language tag such as de or de-AT')
  return locale
}

function wantsDrafts(query: NestedMap): boolean {
  const status = parameterText('status', query.get('status')) ?? 'published'
  if (status !== 'draft' && status !== 'published') throw invalid('status', 'must be draft or published')
  return status === 'draft' || parameterText('publicationState', query.get('publicationState')) === 'preview'
}

/** A request in the terms of the service. */
export type StrapiRequest = ReturnType<typeof requestOf>['request']

export function requestOf(c: Ctx) {
  const query = nestedQuery(searchOf(c.req.url))
  const { filters, locale } = localeAmong(query.get('filters'))
  const request = {
    filters: filtersOf(filters),
    words: parameterText('_q', query.get('_q'))?.trim() ?? '',
    sort: sortsOf(query.get('sort')),
    paging: pagingOf(query),
    shown: { fields: fieldsOf('fields', query.get('fields')), populate: populateOf(query.get('populate')) },
    locale: localeOf(query, locale),
    wrapped:
      c.req.path.startsWith(`${compatPrefix}/strapi${root4}/`) ||
      chosenBy(c.req.raw, 'strapi-response-format') === 'v4',
  }
  return { request, drafts: wantsDrafts(query) }
}
