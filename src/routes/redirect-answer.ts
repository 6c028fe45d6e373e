import type { RequestInfo } from '../middleware/context.js'
import { exposedByPages } from '../middleware/cross-origin.js'
import { securityHeaders } from '../middleware/headers.js'
import { locationOf } from '../request-paths.js'
import type { Redirection } from '../services/content/redirects.js'

/** A redirection with what stands in front of the slugs that its caller asks for. */
export type Redirect = Redirection & { readonly prefix: string }

export const isRedirect = (answer: object): answer is Redirect => 'prefix' in answer

/** Without a body, the same in every format and for HEAD. Caches keep it as long as a page: one may come instead. */
export function redirectAnswer(
  request: Request,
  info: RequestInfo,
  redirect: Redirect,
  isPublic: boolean,
): Response {
  info.finished = true
  const shared = {
    Location: locationOf(redirect, request.url),
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': info.requestId,
  }
  const headers = isPublic
    ? {
        ...shared,
        'Cache-Control': 'public, max-age=0, stale-while-revalidate=30, stale-if-error=86400',
        'Surrogate-Key': redirect.tags,
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': exposedByPages,
      }
    : {
        ...shared,
        'Content-Security-Policy': securityHeaders['Content-Security-Policy'],
        'Cache-Control': 'private, no-cache',
      }
  return new Response(null, { status: redirect.status, headers })
}
