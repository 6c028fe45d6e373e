import { Hono } from 'hono'
import type { Config } from '../config.js'
import { badRequest, notFound, Refusal } from '../errors.js'
import type { Ctx, Env } from '../middleware/context.js'
import { errors } from '../middleware/errors.js'
import { type FormatName, formats } from '../services/content-formats/index.js'
import type { PageRequest, PageService } from '../services/pages.js'
import type { Log } from '../services/ports.js'
import { slugOfPath } from '../services/text.js'
import { answerPage } from './page-answer.js'

/** Addresses whose meaning is remembered; what callers can vary must not fill memory. */
const keptAddresses = 5000

/**
 * Public delivery (4.10): the published tree of a route by its slug, for everybody. This is the hottest path of the
 * product, so nothing that a page does not need lies on it.
 */
export function publicRoutes(pages: PageService, config: () => Config, log: Log) {
  const site = new Hono<Env>({ strict: false })
  const onError = errors(log)
  const known = new Map<string, PageRequest>()

  function requestOf(c: Ctx): PageRequest {
    const { url } = c.req
    const address = url.slice(url.indexOf('/', 8))
    const before = known.get(address)
    if (before) return before
    const given = c.req.query('format')
    const format = (given ?? config().output_format) as FormatName
    if (!formats.has(format)) throw badRequest(`format: must be one of ${[...formats.keys()].join(', ')}`)
    const slug = slugOfPath(pathOf(url))
    if (slug === undefined) throw notFound()
    const request: PageRequest = { slug, format, audience: 'public', locale: '' }
    // Without the parameter the configuration decides, and that may change.
    if (given !== undefined) {
      if (known.size >= keptAddresses) known.clear()
      known.set(address, request)
    }
    return request
  }

  site.onError((error, c) => {
    c.header('X-Request-Id', c.env.requestId)
    c.header('X-Content-Type-Options', 'nosniff')
    c.header('Access-Control-Allow-Origin', '*')
    return onError(error, c)
  })
  const fetched = async (c: Ctx, request: PageRequest): Promise<Response> =>
    answerPage(c, await pages.page(request), 'public')

  site.get('/*', (c): Response | Promise<Response> => {
    const request = requestOf(c)
    const ready = pages.inMemory(request)
    return ready ? answerPage(c, ready, 'public') : fetched(c, request)
  })
  site.notFound(() => {
    throw new Refusal(405, 'method not allowed', { Allow: 'GET, HEAD' })
  })
  return site
}

/** The path of an absolute URL, still encoded. */
export function pathOf(url: string): string {
  const from = url.indexOf('/', 8)
  const query = url.indexOf('?', from)
  return query < 0 ? url.slice(from) : url.slice(from, query)
}
