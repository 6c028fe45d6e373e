import type { Config } from '../config.js'
import { allowedOrigins } from '../services/site-origin.js'
import type { RequestInfo } from './context.js'

/** The headers of answers that scripts of other origins may read, beside the few that they always may. */
const exposedByApi = 'ETag, Location, Retry-After, X-Request-Id, X-Total-Count'
/** The exposed headers of public pages; a fixed text, because every page has it. */
export const exposedByPages = 'ETag, Retry-After, X-Request-Id'
/** Browsers ask again after this many seconds, so a changed configuration reaches them soon. */
const maxAge = '600'

type Answer = Response | Promise<Response>

const isPreflight = ({ method, headers }: Request): boolean =>
  method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')

const isSignIn = ({ url }: Request): boolean => url.startsWith('/api/v1/auth/', url.indexOf('/', 8))

const preflightAnswer = (info: RequestInfo, headers: Record<string, string>): Response =>
  new Response(null, {
    status: 204,
    headers: { ...headers, 'Access-Control-Max-Age': maxAge, 'X-Request-Id': info.requestId },
  })

/** Public pages are for every origin: they are the same for everybody and know no cookie. */
export const publicPreflight = (
  request: Request,
  info: RequestInfo,
  methods = 'GET, HEAD',
): Response | undefined =>
  isPreflight(request)
    ? preflightAnswer(info, {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Allow-Methods': methods,
        // The wildcard stands for all headers but this one, which clients of other systems send.
        'Access-Control-Allow-Headers': '*, Authorization',
      })
    : undefined

/**
 * Lets pages of the allowed origins call the API from a browser, with the cookie when the configuration says so.
 * Without such origins no headers are added, and OPTIONS is a method only of the endpoints for signing in. It stands
 * around the whole API, so pages can read errors and answers from memory like all others.
 */
export const crossOrigin =
  (config: () => Config) =>
  (request: Request, info: RequestInfo, answer: () => Answer): Answer => {
    const current = config()
    const { cors_methods, cors_headers, cors_credentials } = current
    const origins = allowedOrigins(current)
    if (origins.length === 0 && !(isPreflight(request) && isSignIn(request))) return answer()
    const origin = request.headers.get('origin')
    const isListed = origin !== null && origin !== '*' && origins.includes(origin)
    const isForAll = origins.includes('*')
    const allowed: Record<string, string> = isForAll
      ? { 'Access-Control-Allow-Origin': '*' }
      : {
          ...(isListed ? { 'Access-Control-Allow-Origin': origin } : {}),
          ...(isListed && cors_credentials ? { 'Access-Control-Allow-Credentials': 'true' } : {}),
        }
    // A cache must not give the response for one origin to another.
    const vary = isForAll ? {} : { Vary: 'Origin' }
    if (isPreflight(request))
      return preflightAnswer(info, {
        ...allowed,
        ...vary,
        'Access-Control-Allow-Methods': cors_methods.join(', '),
        'Access-Control-Allow-Headers': cors_headers.join(', '),
      })
    const added = Object.entries({ ...allowed, 'Access-Control-Expose-Headers': exposedByApi })
    const readable = (given: Response): Response => {
      if (!isForAll) given.headers.append('Vary', 'Origin')
      if (isForAll || isListed) for (const [name, value] of added) given.headers.set(name, value)
      return given
    }
    const given = answer()
    return given instanceof Response ? readable(given) : given.then(readable)
  }
