import { z } from 'zod'
import { actorOf, type Ctx, idParam } from '../../middleware/context.js'
import { oauthCookie } from '../../middleware/oauth-cookie.js'
import { OAuthLinkBegin, OAuthLinkRecord } from '../../services/accounts/oauth-links.js'
import type { ApiContext } from '../context.js'
import type { Endpoints } from '../endpoints.js'

const path = '/auth/oauth'

const Offered = z.object({
  id: z.string().meta({ description: '`default` for the provider of the settings `oauth_*`.' }),
  name: z.string().nullable(),
  url: z.string().meta({ description: 'The path where the browser begins to sign in.' }),
})

/** The page of the panel that shows what is linked. */
const linkedPage = '/admin/profile/providers'

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

/** The providers of one's own account. */
export function oauthLinkEndpoints(api: Endpoints, { services: { oauthLinks }, config }: ApiContext) {
  api.get(
    `${path}/links`,
    'signed-in',
    {
      name: 'listOAuthLinks',
      summary: 'List the OAuth providers of your account',
      answers: { shape: z.array(OAuthLinkRecord) },
    },
    async c => c.json(await oauthLinks.list(actorOf(c))),
  )
  api.post(
    `${path}/links`,
    'signed-in',
    {
      name: 'beginOAuthLink',
      summary: 'Start to link an OAuth provider to your account',
      description:
        'Open `url` in this browser: the provider redirects back to the callback, which links the account there, whatever its e-mail address, and redirects to the panel. Needs a session.',
      fails: [401],
      limited: true,
      secret: true,
      body: OAuthLinkBegin,
      answers: { shape: z.object({ url: z.string() }) },
    },
    async (c, { body }) => {
      const { url, browser } = await oauthLinks.begin(actorOf(c), oauthCookie.read(c), body)
      oauthCookie.write(c, browser, config())
      return c.json({ url })
    },
  )
  api.delete(
    `${path}/links/:user_oauth_id`,
    'signed-in',
    {
      name: 'removeOAuthLink',
      summary: 'Remove an OAuth provider from your account',
      description: 'Needs a session, and another way to sign in.',
      fails: [401, 409],
      answers: { status: 204 },
    },
    async c => {
      await oauthLinks.remove(actorOf(c), idParam(c, 'user_oauth_id'))
      return c.body(null, 204)
    },
  )
}

function handlers({ services: { oauth }, authentication: { cookie }, config }: ApiContext) {
  return {
    async start(c: Ctx, id?: string) {
      const { url, browser } = await oauth.begin(oauthCookie.read(c), id)
      oauthCookie.write(c, browser, config())
      return c.redirect(url)
    },
    async finish(c: Ctx, id?: string) {
      const finished = await oauth.finish(actorOf(c), new URL(c.req.url).searchParams, {
        ...(id === undefined ? {} : { id }),
        browser: oauthCookie.read(c),
        old: cookie.read(c),
      })
      oauthCookie.clear(c)
      if (finished === 'linked') return c.redirect(linkedPage)
      cookie.write(c, finished.session)
      return c.redirect(finished.redirect)
    },
  }
}
