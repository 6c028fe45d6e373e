import { setCookie } from 'hono/cookie'
import { actorOf } from '../../middleware/context.js'
import { cookieIn } from '../../middleware/session-cookie.js'
import type { ApiContext } from '../context.js'
import type { Endpoints } from '../endpoints.js'

/** Binds a sign-in at the provider to the browser that began it. */
const browserCookie = 'slugline_oauth'
const path = '/auth/oauth'

/** Signing in at the OAuth provider. */
export function oauthEndpoints(
  api: Endpoints,
  { services: { oauth }, authentication: { cookie }, config }: ApiContext,
) {
  api.get(
    `${path}/login`,
    'public',
    {
      name: 'startOAuth',
      summary: 'Redirect to the OAuth provider to sign in',
      fails: [502],
      limited: true,
      answers: { status: 302 },
    },
    async c => {
      const { url, browser } = await oauth.begin(cookieIn(c.req.header('cookie'), browserCookie))
      setCookie(c, browserCookie, browser, {
        path: '/',
        httpOnly: true,
        secure: config().cookie_secure,
        // The way back is a link from another site, with which a strict cookie would not be sent.
        sameSite: 'Lax',
        maxAge: 600,
      })
      return c.redirect(url)
    },
  )
  api.get(
    `${path}/callback`,
    'public',
    {
      name: 'finishOAuth',
      fails: [401, 403, 409, 502],
      summary: 'Finish signing in with the OAuth provider',
      description: 'The provider redirects the browser here. The response sets the session cookie.',
      limited: true,
      anyQuery: true,
      answers: { status: 302 },
    },
    async c => {
      const session = await oauth.finish(actorOf(c), new URL(c.req.url).searchParams, {
        browser: cookieIn(c.req.header('cookie'), browserCookie),
        old: cookie.read(c),
      })
      cookie.write(c, session)
      setCookie(c, browserCookie, '', { path: '/', httpOnly: true, maxAge: 0 })
      return c.redirect(config().oauth_success_redirect)
    },
  )
}
