import { createMiddleware } from 'hono/factory'
import type { Env } from './context.js'

/** On every answer of the API: it is never a document of its own, is not guessed at and is not framed. */
export const securityHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const

/** @param secure whether the service is reached by HTTPS only */
export const headers = (secure: boolean) => {
  const all = Object.entries({
    ...securityHeaders,
    ...(secure ? { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' } : {}),
  })
  return createMiddleware<Env>(async (c, next) => {
    await next()
    if (c.env.finished) return
    for (const [name, value] of all) c.res.headers.set(name, value)
    c.res.headers.set('X-Request-Id', c.env.requestId)
  })
}
