import { setCookie } from 'hono/cookie'
import { forbidden } from '../errors.js'
import type { Ctx } from '../middleware/context.js'
import { cookieIn } from '../middleware/session-cookie.js'
import { randomSecret } from '../services/secrets.js'
import type { PanelContext } from './context.js'

const visitorCookie = 'slugline_visitor'

/** The member of every form that proves that the panel made it. */
export const tokenMember = 'form_token'

const visitorOf = (c: Ctx) => cookieIn(c.req.header('cookie'), visitorCookie)

type Needs = Pick<PanelContext, 'authentication' | 'hashing' | 'random' | 'config'>

/**
 * The token that every form of this browser must carry (D-641). It is derived from the session's secret, which no other
 * site knows and which cannot be derived from it.
 */
export function formToken(c: Ctx, { authentication: { cookie }, hashing }: Needs): string {
  const secret = cookie.read(c) ?? visitorOf(c)
  return secret === undefined ? '' : hashing.sha256(`form of the panel: ${secret}`)
}

/** Returns the form token for a page that needs no sign-in; a browser without a cookie gets one. */
export function visitorToken(c: Ctx, context: Needs): string {
  const known = formToken(c, context)
  if (known !== '') return known
  const visitor = randomSecret(context.random)
  setCookie(c, visitorCookie, visitor, {
    path: '/admin',
    httpOnly: true,
    secure: context.config().cookie_secure,
    sameSite: 'Strict',
  })
  return context.hashing.sha256(`form of the panel: ${visitor}`)
}

/** @throws 403 for a form that was not made for this browser */
export function refuseForeignForm(c: Ctx, given: string | undefined, context: Needs): void {
  const wanted = formToken(c, context)
  const { sha256 } = context.hashing
  // Compares hashes, so that the time reveals nothing about the token.
  if (wanted === '' || given === undefined || sha256(given) !== sha256(wanted))
    throw forbidden('this form has expired: reload the page')
}
