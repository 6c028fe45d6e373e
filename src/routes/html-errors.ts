import type { ErrorHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Ctx, Env } from '../middleware/context.js'
import { type Failure, failureOf } from '../middleware/errors.js'
import { nonceOf } from '../middleware/headers.js'
import type { Log } from '../ports.js'
import { addressOf } from './page-requests.js'

function wantsSignIn(c: Ctx, { status, code }: Failure): boolean {
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return false
  return status === 401 || code === 'unauthenticated' || code === 'session_expired'
}

/**
 * How errors look to people: a page with the sentence, the code and the id of the request.
 * @param signIn the path of the sign-in page; its parameter `to` says where the visitor wanted to go
 */
export const htmlErrors =
  (log: Log, { signIn }: { signIn?: string } = {}): ErrorHandler<Env> =>
  async (error, c) => {
    const { requestId } = c.env
    const failure = failureOf(log, error, { request_id: requestId, method: c.req.method, path: c.req.path })
    if (signIn !== undefined && wantsSignIn(c, failure)) {
      // Two slashes at the beginning would name another host.
      const to = addressOf(c.req.url).replace(/^\/{2,}/, '/')
      return c.redirect(`${signIn}?to=${encodeURIComponent(to)}`, 303)
    }
    const { ErrorPage } = await import('./error-page.js')
    const page = ErrorPage({ failure, requestId, nonce: nonceOf(c) })
    return c.html(`<!doctype html>${page}`, failure.status as ContentfulStatusCode, {
      'Cache-Control': 'no-store',
      ...failure.headers,
    })
  }
