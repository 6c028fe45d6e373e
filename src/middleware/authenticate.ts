import { createMiddleware } from 'hono/factory'
import { parse } from 'hono/utils/cookie'
import { forbidden } from '../errors.js'
import type { RateLimiter } from '../ports.js'
import type { Access, AccessService } from '../services/accounts/access.js'
import type { AuthService } from '../services/accounts/auth.js'
import type { Ctx, Env } from './context.js'

export interface Authentication {
  auth: AuthService
  access: AccessService
  rateLimiter: RateLimiter
  cookieName: () => string
}

/** `Bearer` and exactly one token, whatever the case of the word. Anything else is nobody. */
export const bearerOf = (authorization: string | null | undefined): string | undefined =>
  /^bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1]

/** The session cookie in a Cookie header, when it has one that could be ours. */
export function cookieIn(header: string | null | undefined, name: string): string | undefined {
  if (!header) return undefined
  const value = parse(header, name)[name]
  return value && value.length <= 256 ? value : undefined
}

export const cookieOf = (c: Ctx, name: string): string | undefined => cookieIn(c.req.header('cookie'), name)

/** Lets a request pass when its caller may do what the endpoint declares; otherwise 403 (5.6). */
export const requiring = (access: Access, { auth, access: rights, cookieName }: Authentication) =>
  createMiddleware<Env>(async (c, next) => {
    if (access === 'public') return next()
    const identity = await auth.identify({
      cookie: cookieOf(c, cookieName()),
      bearer: bearerOf(c.req.header('authorization')),
    })
    c.env.identity = identity
    if (!(await rights.can(identity, access))) throw forbidden()
    await next()
  })
