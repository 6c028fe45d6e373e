import type { Config } from '../config.js'
import { HttpError, methodNotAllowed } from '../errors.js'
import type { RequestInfo } from '../middleware/context.js'
import { exposedByPages, publicPreflight } from '../middleware/cross-origin.js'
import { errorAnswer } from '../middleware/errors.js'
import type { Log } from '../ports.js'
import type { Services } from '../services/index.js'
import { deliveries, movedPageSource } from './page-answer.js'
import { addressOf, pageRequests } from './page-requests.js'
import { siteFiles } from './site-files.js'

const wantsHtml = (request: Request) => request.headers.get('accept')?.includes('text/html') === true
const isMissing = (error: unknown) => error instanceof HttpError && error.status === 404

async function isEmpty({ routes }: Services['space']): Promise<boolean> {
  for await (const rows of routes.list({}, { limit: 1 })) if (rows.length > 0) return false
  return true
}

/**
 * Public delivery: the published tree of a route by its slug, for everybody. This is the hottest path of the
 * product, so it is one Fetch handler and not a router: nothing that a page does not need lies on it.
 */
export function publicRoutes(
  { space, redirects }: Pick<Services, 'space' | 'redirects'>,
  config: () => Config,
  log: Log,
) {
  const requests = pageRequests('', 'public', config)
  const files = siteFiles(space.publishedPages, config)
  const deliver = deliveries(
    'public',
    movedPageSource(space.pages, redirects, '', wanted => space.pages.lastingPage(wanted)),
  )

  async function refuse(error: unknown, request: Request, { requestId }: RequestInfo): Promise<Response> {
    const path = addressOf(request.url).split('?', 1)[0] as string
    const headers = {
      'X-Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': exposedByPages,
    }
    if (path === '/' && wantsHtml(request) && isMissing(error) && (await isEmpty(space)))
      return new Response(null, {
        status: 302,
        headers: { ...headers, Location: '/admin', 'Cache-Control': 'no-store', Vary: 'Accept' },
      })
    return errorAnswer(log, error, { request_id: requestId, method: request.method, path }, headers)
  }

  return (request: Request, info: RequestInfo): Response | Promise<Response> => {
    try {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        const preflight = publicPreflight(request, info)
        if (preflight) return preflight
        throw methodNotAllowed(['GET', 'HEAD'])
      }
      const address = addressOf(request.url)
      const file = files(request, info, address)
      if (file) return file instanceof Promise ? file.catch(error => refuse(error, request, info)) : file
      return deliver(request, info, requests.of(address), refuse)
    } catch (error) {
      return refuse(error, request, info)
    }
  }
}
