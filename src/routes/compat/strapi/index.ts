import { invalid } from '../../../errors.js'
import type { Ctx } from '../../../middleware/context.js'
import type { Failure } from '../../../middleware/errors.js'
import { localeCode } from '../../../services/content/locales.js'
import {
  type StrapiPaging,
  type StrapiRequest,
  strapiEntry,
  strapiFileById,
  strapiFiles,
  strapiLocales,
  strapiType,
} from '../../../services/delivery/compat/strapi.js'
import type { ApiContext } from '../../api/context.js'
import { endpoints } from '../../endpoints.js'
import { type NestedMap, nestedQuery, numberOf, textOf, textsOf } from '../brackets.js'
import { answering, hasCredentials, searchOf } from '../root.js'
import { filtersOf } from './filters.js'
import { fieldsOf, populateOf } from './populate.js'

const standardSize = 25
const maxSize = 100

const names: Readonly<Record<number, string>> = {
  400: 'ValidationError',
  401: 'UnauthorizedError',
  403: 'ForbiddenError',
  404: 'NotFoundError',
  405: 'MethodNotAllowedError',
  429: 'RateLimitError',
}

/** `{data: null, error: {status, name, message, details}}`. Who has no valid key is not authorized there. */
export function strapiFailure({ status: given, code, error }: Failure, c: Ctx) {
  const status = code === 'unauthenticated' && hasCredentials(c) ? 401 : given
  const name = names[status] ?? (status < 500 ? 'ApplicationError' : 'InternalServerError')
  return { status, body: { data: null, error: { status, name, message: error, details: {} } } }
}

function sortsOf(query: NestedMap): StrapiRequest['sort'] {
  const given = query.get('sort')
  const isList =
    given === undefined || typeof given === 'string' || [...given.keys()].every(key => /^\d+$/.test(key))
  const texts = isList
    ? textsOf('sort', given)
    : [...given].map(([name, direction]) => `${name}:${textOf('sort', direction) ?? ''}`)
  if (texts.length > 4) throw invalid('sort', 'has more than 4 keys')
  return texts.map(text => {
    const [name = '', direction = 'asc'] = text.split(':')
    if (!/^(?:asc|desc)$/i.test(direction)) throw invalid('sort', 'must end in :asc or :desc')
    return { name, descending: direction.toLowerCase() === 'desc' }
  })
}

function pagingOf(query: NestedMap): StrapiPaging {
  const given = query.get('pagination')
  if (typeof given === 'string') throw invalid('pagination', 'must be written as pagination[page]=1')
  const at = (name: string) => given?.get(name)
  const count = textOf('pagination[withCount]', at('withCount')) !== 'false'
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
  const page = numberOf('pagination[page]', at('page'), { ...bounds, least: 1, standard: 1 })
  const size = numberOf('pagination[pageSize]', at('pageSize'), {
    ...bounds,
    least: 1,
    standard: standardSize,
  })
  return { by: 'page', page, size: Math.min(size, maxSize), count }
}

function localeOf(query: NestedMap): string {
  const locale = textOf('locale', query.get('locale')) ?? ''
  if (locale !== '' && !localeCode.safeParse(locale).success)
    throw invalid('locale', 'must be one language tag such as de or de-AT')
  return locale
}

/** Whether drafts are asked for, in the way of version 5 or 4. */
function wantsDrafts(query: NestedMap): boolean {
  const status = textOf('status', query.get('status')) ?? 'published'
  if (status !== 'draft' && status !== 'published') throw invalid('status', 'must be draft or published')
  return status === 'draft' || textOf('publicationState', query.get('publicationState')) === 'preview'
}

function requestOf(c: Ctx): { request: StrapiRequest; drafts: boolean } {
  const query = nestedQuery(searchOf(c.req.url))
  if (query.has('_q')) throw invalid('_q', 'is not answered; use /api/v1/search')
  const request = {
    filters: filtersOf(query.get('filters')),
    sort: sortsOf(query),
    paging: pagingOf(query),
    shown: { fields: fieldsOf('fields', query.get('fields')), populate: populateOf(query.get('populate')) },
    locale: localeOf(query),
    wrapped: c.req.header('strapi-response-format') === 'v4',
  }
  return { request, drafts: wantsDrafts(query) }
}

/** The content API of Strapi, read-only: version 5, and 4 by its own header. See docs/moving-from/strapi.md. */
export function strapiRoutes(context: ApiContext) {
  const answer = answering(context)
  const api = endpoints('strapi', context.authentication)
  const options = { summary: 'As Strapi answers', anyQuery: true } as const

  api.get('/api/upload/files', 'public', options, c => {
    const { request } = requestOf(c)
    return answer(c, false, site => strapiFiles(site, request))
  })
  api.get('/api/upload/files/:number{[0-9]{1,15}}', 'public', options, c =>
    answer(c, false, site => strapiFileById(site, Number(c.req.param('number')))),
  )
  api.get('/api/i18n/locales', 'public', options, c => answer(c, false, strapiLocales))
  api.get('/api/:type', 'public', options, c => {
    const { request, drafts } = requestOf(c)
    return answer(c, drafts, site => strapiType(site, c.req.param('type') ?? '', request))
  })
  api.get('/api/:type/:document', 'public', options, c => {
    const { request, drafts } = requestOf(c)
    const { type = '', document = '' } = c.req.param()
    return answer(c, drafts, site => strapiEntry(site, type, document, request))
  })
  return api
}
