import { z } from 'zod'
import { invalid, notFound } from '../../../errors.js'
import type { Ctx } from '../../../middleware/context.js'
import type { Failure } from '../../../middleware/errors.js'
import type { ApiContext } from '../../../routes/context.js'
import { settings } from '../../../services/body-parts.js'
import type { CompatSite } from '../../../services/delivery/compat/compat.js'
import { pictureAt, pictureParameters, type WantedPicture } from '../../pictures.js'
import { chosenBy, door, searchOf } from '../../root.js'
import { sanityDocuments, sanityQuery, usesNow } from '../find/query.js'
import { QueryError } from '../groq/query.js'
import { mediaOfPicture } from '../names.js'
import type { SanityPlace } from '../write/media.js'
import { liveEvents } from './live.js'

const names: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
}

/**
 * `{error: {type, description, query, start, end}}` of a query, and `{statusCode, error, message}` of all else. Who has
 * no valid key is not authorized there.
 */
export function sanityFailure({ status: given, code, error, refusal }: Failure) {
  if (refusal instanceof QueryError) {
    const { query, start, end } = refusal
    return {
      status: given,
      body: { error: { type: 'queryParseError', description: error, query, start, end } },
    }
  }
  if (given === 400)
    return { status: given, body: { error: { type: 'queryExecutionError', description: error } } }
  const status = code === 'unauthenticated' ? 401 : given
  return {
    status,
    body: { statusCode: status, error: names[status] ?? 'Internal Server Error', message: error },
  }
}

const ofDrafts: ReadonlySet<string> = new Set(['drafts', 'previewDrafts'])
const ofPublished: ReadonlySet<string> = new Set(['published', 'raw'])

/**
 * True if the perspective includes drafts, alone or in a list; they then take precedence over published documents.
 * `raw` without drafts means published documents.
 */
function wantsDrafts(query: URLSearchParams): boolean {
  const asked = (query.get('perspective') ?? 'published').split(',')
  if (!asked.every(one => ofDrafts.has(one) || ofPublished.has(one)))
    throw invalid('perspective', 'must be published, raw or drafts: there are no releases here')
  return asked.some(one => ofDrafts.has(one))
}

const paramPattern = /^\$[A-Za-z_][A-Za-z0-9_]{0,99}$/

function paramsOf(query: URLSearchParams): Map<string, unknown> {
  const params = new Map<string, unknown>()
  for (const [name, text] of query) {
    if (!name.startsWith('$')) continue
    if (!paramPattern.test(name)) throw invalid(name.slice(0, 100), 'is not a parameter name')
    params.set(name.slice(1), jsonOf(name, text))
  }
  return params
}

function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(name, 'must be JSON')
  }
}

const QueryBody = z.object({
  query: z.string(),
  params: settings.optional(),
})

function pictureOf(c: Ctx): WantedPicture {
  const { number, type, query } = pictureParameters(c)
  const scale = Math.min(Math.max(number('dpr'), 1), 3)
  const accepted = ['image/avif', 'image/webp'].filter(one => c.req.header('accept')?.includes(one))
  const fit = query.get('fit') ?? (query.has('rect') ? 'crop' : 'clip')
  return {
    width: number('w', 'max-w', 'min-w') * scale,
    height: number('h', 'max-h', 'min-h') * scale,
    crops: fit === 'crop' || fit === 'min' || query.has('rect'),
    types: type ? [type] : query.get('auto') === 'format' ? accepted : [],
  }
}

/** The query API and the pictures of Sanity, read-only. See docs/moving-from/sanity.md. */
export function sanityRoutes(context: ApiContext) {
  const { api, options, answer, get, addressOf } = door(context, 'sanity', 'Sanity')
  const data = '/:version{v[0-9A-Za-z-]{1,20}}/data'

  const placeOf = (c: Ctx): SanityPlace => {
    const { dataset = '' } = c.req.param() as { dataset?: string }
    const project = chosenBy(c.req.raw, 'x-sanity-project-id') || 'site'
    return { dataset, images: addressOf(c, `/images/${project}/${encodeURIComponent(dataset)}`) }
  }
  const asked = (c: Ctx, text: string, params: ReadonlyMap<string, unknown>, body?: string) => {
    const search = new URLSearchParams(searchOf(c.req.url))
    const query = { text, params }
    const request = { ...placeOf(c), query, echoes: search.get('returnQuery') !== 'false' }
    // A query that depends on the time is not cached.
    const beside = usesNow(text) ? null : body
    return { drafts: wantsDrafts(search), write: (site: CompatSite) => sanityQuery(site, request), beside }
  }

  get(`${data}/query/:dataset`, c => {
    const search = new URLSearchParams(searchOf(c.req.url))
    return asked(c, search.get('query') ?? '', paramsOf(search))
  })
  api.post(
    `${data}/query/:dataset`,
    'public',
    { ...options, onlyReads: true, body: QueryBody },
    (c, { body }) =>
      answer(c, asked(c, body.query, new Map(Object.entries(body.params ?? {})), JSON.stringify(body))),
  )
  get(`${data}/doc/:dataset/:ids`, c => {
    const drafts = wantsDrafts(new URLSearchParams(searchOf(c.req.url)))
    const ids = (c.req.param('ids') ?? '').split(',')
    return { drafts, write: site => sanityDocuments(site, ids, placeOf(c)) }
  })
  api.get(`${data}/live/events/:dataset`, 'public', options, liveEvents(context))
  get('/images/:project/:dataset/:file', c => {
    const file = c.req.param('file') ?? ''
    if (!/^[0-9A-Za-z]{1,64}-\d{1,5}x\d{1,5}\.[a-z]{1,5}$/.test(file)) throw notFound()
    const write = async (site: CompatSite) =>
      pictureAt(site, (await mediaOfPicture(site, file)) ?? '', pictureOf(c))
    return { write, beside: null }
  })
  return api
}
