import { createMiddleware } from 'hono/factory'
import type { Config } from '../config.js'
import { forbidden } from '../errors.js'
import type { RateLimiter } from '../ports.js'
import type { Access, AccessService } from '../services/accounts/access.js'
import type { AuthService } from '../services/accounts/auth.js'
import type { Env } from './context.js'
import { type SessionCookie, sessionCookie } from './session-cookie.js'

export interface Authentication {
  auth: AuthService
  access: AccessService
  rateLimiter: RateLimiter
  cookie: SessionCookie
  /** For who reads the cookie without a context. */
  cookieName: () => string
  /** Origins beside the service's own whose pages may use the session. */
  trustedOrigins: () => readonly string[]
}

/** What every surface knows its callers by. */
export const authenticationBy = (
  { auth, access, rateLimiter }: Pick<Authentication, 'auth' | 'access' | 'rateLimiter'>,
  config: () => Config,
): Authentication => ({
  auth,
  access,
  rateLimiter,
  cookie: sessionCookie(config),
  cookieName: () => config().cookie_name,
  trustedOrigins: () => (config().cors_credentials ? config().cors_origins : []),
})

/** `Bearer` and exactly one token, whatever the case of the word. Anything else is nobody. */
export const bearerOf = (authorization: string | null | undefined): string | undefined =>
  /^bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1]

/** Lets a request pass when its caller may do what the endpoint declares; otherwise 403. */
export const requiring = (access: Access, { auth, access: rights, cookie }: Authentication) =>
  createMiddleware<Env>(async (c, next) => {
    if (access === 'public') return next()
    const identity = await auth.identify({
      cookie: cookie.read(c),
      bearer: bearerOf(c.req.header('authorization')),
    })
    c.env.identity = identity
    if (!(await rights.can(identity, access))) throw forbidden()
    await next()
  })
