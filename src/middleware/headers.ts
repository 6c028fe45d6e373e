import { createMiddleware } from 'hono/factory'
import type { Random } from '../ports.js'
import { base64 } from '../services/secrets.js'
import { apiPolicy } from './content-security-policy.js'
import type { Ctx, Env } from './context.js'

const sharing = 'Cross-Origin-Resource-Policy'

/** On every answer of the API: it is never a document of its own, is not guessed at and is not framed. */
export const securityHeaders = {
  'Content-Security-Policy': apiPolicy,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  [sharing]: 'same-origin',
} as const

const transportSecurity = { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' }

/** @param secure true if browsers must use nothing but HTTPS */
const entriesOf = (secure: boolean) =>
  Object.entries({ ...securityHeaders, ...(secure ? transportSecurity : {}) })

/**
 * Limits caching to the browser of the caller: no shared cache keeps a response. The browser may keep reads, and
 * asks again each time. It keeps nothing else, such as a key that is shown once.
 */
function limitCaching({ req, res }: Ctx): void {
  if (res.headers.has('Cache-Control')) return
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  const isKept = isRead && (res.status === 200 || res.status === 304)
  res.headers.set('Cache-Control', isKept ? 'private, no-cache' : 'no-store')
}

/** Adds the headers of a surface whose responses are not documents. */
export const headers = (secure: boolean) => {
  const all = entriesOf(secure)
  return createMiddleware<Env>(async (c, next) => {
    await next()
    if (c.env.finished) return
    limitCaching(c)
    for (const [name, value] of all) c.res.headers.set(name, value)
    c.res.headers.set('X-Request-Id', c.env.requestId)
  })
}

/**
 * The headers of a surface of pages. Each answer has a nonce of its own, which `nonceOf` gives to who draws the page.
 * @param policy the content security policy for a nonce
 */
export const htmlHeaders = (
  secure: boolean,
  random: Random,
  policy: (nonce: string, shown: { isFramed: boolean }) => string,
) => {
  const all = entriesOf(secure)
  return createMiddleware<Env>(async (c, next) => {
    const nonce = base64(random.bytes(16))
    c.env.nonce = nonce
    await next()
    limitCaching(c)
    const shared = c.res.headers.get(sharing)
    for (const [name, value] of all) c.res.headers.set(name, value)
    // A file for other sites says so itself.
    if (shared !== null) c.res.headers.set(sharing, shared)
    const { isFramed = false } = c.env
    c.res.headers.set('Content-Security-Policy', policy(nonce, { isFramed }))
    if (isFramed) c.res.headers.set('X-Frame-Options', 'SAMEORIGIN')
    c.res.headers.set('X-Request-Id', c.env.requestId)
  })
}

/** The nonce that scripts and styles of this answer must carry. */
export const nonceOf = (c: Ctx): string => c.env.nonce ?? ''
