import { Hono } from 'hono'
import type { Config } from '../config.js'
import { badRequest, notFound, Refusal } from '../errors.js'
import type { Env } from '../middleware/context.js'
import { errors } from '../middleware/errors.js'
import { type FormatName, formats } from '../services/content-formats/index.js'
import type { PageService } from '../services/pages.js'
import type { Log } from '../services/ports.js'
import { slugOfPath } from '../services/text.js'
import { answerPage } from './page-answer.js'

/**
 * Public delivery (4.10): the published tree of a route by its slug, for everybody. This is the hottest path of the
 * product, so nothing that a page does not need lies on it.
 */
export function publicRoutes(pages: PageService, config: () => Config, log: Log) {
  const site = new Hono<Env>({ strict: false })
  const onError = errors(log)
  site.onError((error, c) => {
    c.header('X-Request-Id', c.env.requestId)
    c.header('X-Content-Type-Options', 'nosniff')
    c.header('Access-Control-Allow-Origin', '*')
    return onError(error, c)
  })
  site.get('/*', async c => {
    const format = c.req.query('format') ?? config().output_format
    if (!formats.has(format as FormatName))
      throw badRequest(`format: must be one of ${[...formats.keys()].join(', ')}`)
    const slug = slugOfPath(pathOf(c.req.url))
    if (slug === undefined) throw notFound()
    const answer = await pages.page({ slug, format: format as FormatName, audience: 'public', locale: '' })
    return answerPage(c, answer, 'public')
  })
  site.all('/*', () => {
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
