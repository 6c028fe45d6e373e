import { createMiddleware } from 'hono/factory'
import { forbidden } from '../errors.js'
import type { Authentication } from './authenticate.js'
import type { Ctx, Env } from './context.js'

const refusal = 'requests of other sites must not use the session'

/** The origin's host, or `''` if it has no host, as for `null`. */
function hostOf(origin: string): string {
  try {
    return new URL(origin).host
  } catch {
    return ''
  }
}

/**
 * Recognises requests that a page of another site has sent, by headers that browsers set and scripts cannot change.
 * Programs send neither header.
 */
function isForeign(c: Ctx, trusted: readonly string[]): boolean {
  const site = c.req.header('sec-fetch-site')
  const origin = c.req.header('origin')
  if (site === 'same-origin' || site === 'none') return false
  if (origin !== undefined && trusted.includes(origin)) return false
  if (site !== undefined) return true
  // Behind a proxy that ends TLS the scheme is another one than browsers see, so that hosts are compared.
  return origin !== undefined && hostOf(origin) !== new URL(c.req.url).host
}

/**
 * Refuses changes that pages of other sites ask for with the session cookie that the browser adds, whatever the type
 * of the body; SameSite does not stop them from sites of the same domain, or with `none`. Requests without the cookie
 * are anonymous, or have a key that no browser adds.
 * @param always also without a cookie, as where a form signs somebody in
 */
export const refusingForeignPages = ({ cookie, trustedOrigins }: Authentication, always: boolean) =>
  createMiddleware<Env>(async (c, next) => {
    if ((always || cookie.read(c) !== undefined) && isForeign(c, trustedOrigins())) throw forbidden(refusal)
    await next()
  })
