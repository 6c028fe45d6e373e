import { Hono } from 'hono'
import type { Config } from '../config.js'
import { Refusal } from '../errors.js'
import type { Env, RequestInfo } from '../middleware/context.js'
import { errors } from '../middleware/errors.js'
import type { PageService } from '../services/pages.js'
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
  site.onError((error, c) => {
    c.header('X-Request-Id', c.env.requestId)
    c.header('X-Content-Type-Options', 'nosniff')
    c.header('Access-Control-Allow-Origin', '*')
    return onError(error, c)
  })
  site.get('/*', async c => {
    const answer = await pages.page(requests.of(addressOf(c.req.url)))
    return answerPage(c.req.raw, c.env, answer, 'public')
  })
  site.notFound(() => {
    throw new Refusal(405, 'method not allowed', { Allow: 'GET, HEAD' })
  })
  return {
    fetch: (request: Request, info: RequestInfo): Response | Promise<Response> => {
      // What is in memory is answered before anything else is done.
      const wanted = request.method === 'GET' ? requests.known(addressOf(request.url)) : undefined
      const ready = wanted && pages.inMemory(wanted)
      return ready ? answerPage(request, info, ready, 'public') : site.fetch(request, info)
    },
  }
}
