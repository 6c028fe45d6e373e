import { getCookie } from 'hono/cookie'
import { createMiddleware } from 'hono/factory'
import { forbidden } from '../errors.js'
import type { Access, AccessService } from '../services/access.js'
import type { AuthService } from '../services/auth.js'
import type { Ctx, Env } from './context.js'

export interface Authentication {
  auth: AuthService
  access: AccessService
  cookieName: () => string
}

/** `Bearer` and exactly one token, whatever the case of the word. Anything else is nobody. */
function bearerOf(c: Ctx): string | undefined {
  return /^bearer ([\x21-\x7e]+)$/i.exec(c.req.header('authorization') ?? '')?.[1]
}

/** The session cookie of a request, when it has one. */
export const cookieOf = (c: Ctx, name: string): string | undefined => {
  const value = getCookie(c, name)
  return value && value.length <= 256 ? value : undefined
}

/** Lets a request pass when its caller may do what the endpoint declares; otherwise 403 (5.6). */
export const requiring = (access: Access, { auth, access: rights, cookieName }: Authentication) =>
  createMiddleware<Env>(async (c, next) => {
    if (access === 'public') return next()
    const identity = await auth.identify({ cookie: cookieOf(c, cookieName()), bearer: bearerOf(c) })
    c.env.identity = identity
    if (!(await rights.may(identity, access))) throw forbidden()
    await next()
  })
