import { setCookie } from 'hono/cookie'
import type { Config } from '../config.js'
import type { Ctx } from './context.js'
import { cookieIn } from './session-cookie.js'

const name = 'slugline_oauth'

/** Binds a sign-in at a provider to the browser that began it. */
export const oauthCookie = {
  read: (c: Ctx): string | undefined => cookieIn(c.req.header('cookie'), name),
  write(c: Ctx, value: string, { cookie_secure }: Config): void {
    setCookie(c, name, value, {
      path: '/',
      httpOnly: true,
      secure: cookie_secure,
      // The way back is a link from another site, with which a strict cookie would not be sent.
      sameSite: 'Lax',
      maxAge: 600,
    })
  },
  clear: (c: Ctx): void => setCookie(c, name, '', { path: '/', httpOnly: true, maxAge: 0 }),
}
