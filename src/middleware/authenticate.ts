import { createMiddleware } from 'hono/factory'
import { type Identity, refuseReadOnly } from '../actor.js'
import type { Config } from '../config.js'
import { badKey, type HttpError, missingPermission, sessionExpired, unauthenticated } from '../errors.js'
import type { RateLimiter } from '../ports.js'
import type { Access, AccessService } from '../services/accounts/access.js'
import type { AuthService } from '../services/accounts/auth.js'
import type { Presented } from '../services/accounts/identities.js'
import type { IdempotencyService } from '../services/operation/idempotency.js'
import { allowedOrigins } from '../services/site-origin.js'
import type { Ctx, Env } from './context.js'
import { cookieIn, type SessionCookie, sessionCookie } from './session-cookie.js'

export interface Authentication {
  auth: AuthService
  access: AccessService
  rateLimiter: RateLimiter
  idempotency: IdempotencyService
  /** Refuses at an instance that only reads. @throws 503 */
  refuseIfReadOnly: () => void
  cookie: SessionCookie
  cookieName: () => string
  trustedOrigins: () => readonly string[]
}

/** The services and settings by which every surface identifies its callers. */
export const authenticationBy = (
  {
    auth,
    access,
    rateLimiter,
    idempotency,
    refuseIfReadOnly,
  }: Pick<Authentication, 'auth' | 'access' | 'rateLimiter' | 'idempotency' | 'refuseIfReadOnly'>,
  config: () => Config,
): Authentication => ({
  auth,
  access,
  rateLimiter,
  idempotency,
  refuseIfReadOnly,
  cookie: sessionCookie(config),
  cookieName: () => config().cookie_name,
  trustedOrigins: () => (config().cors_credentials ? allowedOrigins(config()) : []),
})

/** `Bearer` and exactly one token, whatever the case of the word. Anything else counts as no credentials. */
export const bearerOf = (authorization: string | null | undefined): string | undefined =>
  /^bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1]

/** Identifies the caller of a request from memory: null is nobody; undefined needs a look into the database. */
export function callerInMemory(
  { auth, cookieName }: Pick<Authentication, 'auth' | 'cookieName'>,
  { headers }: Request,
): Identity | null | undefined {
  const presented = {
    cookie: cookieIn(headers.get('cookie'), cookieName()),
    bearer: bearerOf(headers.get('authorization')),
  }
  return presented.cookie === undefined && presented.bearer === undefined
    ? null
    : auth.identifyCached(presented)
}

/**
 * Identifies the caller of a request, and counts it once if it comes with a key that has a rate limit.
 * @returns undefined for nobody
 * @throws 429 for one request too many of the key
 */
export async function identified(
  { env }: Ctx,
  presented: Presented,
  auth: AuthService,
): Promise<Identity | undefined> {
  const identity = await auth.identify(presented)
  if (!identity || env.isCounted) return identity
  env.isCounted = true
  await auth.countRequest(identity)
  return identity
}

/** Refuses a caller without a further right, where an endpoint needs more than its access word. @throws 403 */
export const refusingWithout =
  ({ access: rights }: Pick<Authentication, 'access'>) =>
  async ({ env }: Ctx, access: Access): Promise<void> => {
    if (await rights.can(env.identity, access)) return
    throw env.identity ? await rights.refusal(env.identity, access) : missingPermission(access)
  }

/** The reason for a missing identity. The key is checked after the cookie, so the last credential is the wrong one. */
function withoutIdentity({ cookie, bearer }: Presented): HttpError {
  if (bearer !== undefined) return badKey()
  return cookie === undefined ? unauthenticated() : sessionExpired(403)
}

/** Identifies the caller. @throws 403 if the caller is unknown or may not do this */
export async function requireAccess(
  c: Ctx,
  access: Access,
  { auth, access: rights, cookie }: Authentication,
): Promise<Identity> {
  const presented = { cookie: cookie.read(c), bearer: bearerOf(c.req.header('authorization')) }
  const identity = await identified(c, presented, auth)
  c.env.identity = identity
  if (!identity) throw withoutIdentity(presented)
  if (!(await rights.can(identity, access))) throw await rights.refusal(identity, access)
  return identity
}

/**
 * Lets a request pass if its caller may do what the endpoint declares; otherwise 403, with the reason. An old cookie
 * never blocks a public endpoint; a key is counted there too, if it has a rate limit.
 */
export const requiring = (access: Access, authentication: Authentication, changes: boolean) =>
  createMiddleware<Env>(async (c, next) => {
    if (access === 'public') {
      const bearer = bearerOf(c.req.header('authorization'))
      if (bearer !== undefined) await identified(c, { cookie: undefined, bearer }, authentication.auth)
      return next()
    }
    const identity = await requireAccess(c, access, authentication)
    // The door to the database refuses it too; here nothing has been read or sent yet.
    if (changes) refuseReadOnly(identity)
    await next()
  })

/**
 * Refuses changes at an instance that only reads, as the door to the database does, before anything is looked at: so a
 * balancer may send the request to another instance.
 */
export const refusingIfReadOnly = ({ refuseIfReadOnly }: Authentication) =>
  createMiddleware<Env>(async (_, next) => {
    refuseIfReadOnly()
    await next()
  })
