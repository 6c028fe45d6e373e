import { setCookie } from 'hono/cookie'
import { z } from 'zod'
import { actorOf, type Ctx } from '../../middleware/context.js'
import { cookieIn } from '../../middleware/session-cookie.js'
import type { ApiContext } from '../context.js'
import type { Endpoints } from '../endpoints.js'

/** Binds a sign-in at the provider to the browser that began it. */
const browserCookie = 'slugline_oauth'
const path = '/auth/oauth'

const Offered = z.object({
  id: z.string().meta({ description: '`default` for the provider of the settings `oauth_*`.' }),
  name: z.string().nullable(),
  url: z.string().meta({ description: 'The path where the browser begins to sign in.' }),
})

/** Signing in at OAuth providers. */
export function oauthEndpoints(api: Endpoints, context: ApiContext) {
  const { oauth } = context.services
  const { start, finish } = handlers(context)
  api.get(
    `${path}/providers`,
    'public',
    {
      name: 'listOAuthProviders',
      summary: 'List the OAuth providers',
      description:
        'What a page needs for its links to sign in. The list is empty while OAuth is not configured.',
      answers: { shape: z.array(Offered) },
    },
    c => c.json(oauth.offered()),
  )
  const starting = { fails: [502], limited: true, answers: { status: 302 } } as const
  api.get(
    `${path}/login`,
    'public',
    { ...starting, name: 'startOAuth', summary: 'Redirect to the OAuth provider to sign in' },
    c => start(c),
  )
  api.get(
    `${path}/login/:provider`,
    'public',
    {
      ...starting,
      name: 'startOAuthAt',
      summary: 'Redirect to one of the OAuth providers to sign in',
      description: 'The provider is the id of one in the setting `oauth_providers`.',
    },
    c => start(c, c.req.param('provider')),
  )
  const finishing = {
    fails: [401, 403, 409, 502],
    description: 'The provider redirects the browser here. The response sets the session cookie.',
    limited: true,
    anyQuery: true,
    answers: { status: 302 },
  } as const
  api.get(
    `${path}/callback`,
    'public',
    { ...finishing, name: 'finishOAuth', summary: 'Finish signing in with the OAuth provider' },
    c => finish(c),
  )
  api.get(
    `${path}/callback/:provider`,
    'public',
    { ...finishing, name: 'finishOAuthAt', summary: 'Finish signing in with one of the OAuth providers' },
    c => finish(c, c.req.param('provider')),
  )
}

function handlers({ services: { oauth }, authentication: { cookie }, config }: ApiContext) {
  return {
    async start(c: Ctx, id?: string) {
      const { url, browser } = await oauth.begin(cookieIn(c.req.header('cookie'), browserCookie), id)
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
    async finish(c: Ctx, id?: string) {
      const { session, redirect } = await oauth.finish(actorOf(c), new URL(c.req.url).searchParams, {
        ...(id === undefined ? {} : { id }),
        browser: cookieIn(c.req.header('cookie'), browserCookie),
        old: cookie.read(c),
      })
      cookie.write(c, session)
      setCookie(c, browserCookie, '', { path: '/', httpOnly: true, maxAge: 0 })
      return c.redirect(redirect)
    },
  }
}
