import { Hono } from 'hono'
import type { Config } from '../config.js'
import { Refusal } from '../errors.js'
import type { Ctx, Env } from '../middleware/context.js'
import { errors } from '../middleware/errors.js'
import type { PageRequest, PageService } from '../services/pages.js'
import type { Log } from '../services/ports.js'
import { answerPage } from './page-answer.js'
import { addressOf, pageRequests } from './page-requests.js'

/**
 * Public delivery (4.10): the published tree of a route by its slug, for everybody. This is the hottest path of the
 * product, so nothing that a page does not need lies on it.
 */
export function publicRoutes(pages: PageService, config: () => Config, log: Log) {
  const site = new Hono<Env>({ strict: false })
  const requests = pageRequests('', 'public', config)
  const onError = errors(log)
  const fetched = async (c: Ctx, request: PageRequest): Promise<Response> =>
    answerPage(c.req.raw, c.env, await pages.page(request), 'public')

  site.onError((error, c) => {
    c.header('X-Request-Id', c.env.requestId)
    c.header('X-Content-Type-Options', 'nosniff')
    c.header('Access-Control-Allow-Origin', '*')
    return onError(error, c)
  })
  site.get('/*', (c): Response | Promise<Response> => {
    const request = requests.of(addressOf(c.req.url))
    const ready = pages.inMemory(request)
    return ready ? answerPage(c.req.raw, c.env, ready, 'public') : fetched(c, request)
  })
  site.notFound(() => {
    throw new Refusal(405, 'method not allowed', { Allow: 'GET, HEAD' })
  })
  return site
}
