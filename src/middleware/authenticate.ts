import { createMiddleware } from 'hono/factory'
import { forbidden } from '../errors.js'
import type { RateLimiter } from '../ports.js'
import type { Access, AccessService } from '../services/accounts/access.js'
import type { AuthService } from '../services/accounts/auth.js'
import type { Env } from './context.js'
import type { SessionCookie } from './session-cookie.js'

export interface Authentication {
  auth: AuthService
  access: AccessService
  rateLimiter: RateLimiter
  cookie: SessionCookie
  /** For who reads the cookie without a context. */
  cookieName: () => string
}

/** `Bearer` and exactly one token, whatever the case of the word. Anything else is nobody. */
export const bearerOf = (authorization: string | null | undefined): string | undefined =>
  /^bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1]

/** Lets a request pass when its caller may do what the endpoint declares; otherwise 403 (5.6). */
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
