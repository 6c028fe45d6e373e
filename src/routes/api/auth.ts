import { setCookie } from 'hono/cookie'
import { z } from 'zod'
import { duration } from '../../durations.js'
import { cookieOf } from '../../middleware/authenticate.js'
import { actorOf, type Ctx } from '../../middleware/context.js'
import { Login } from '../../services/accounts/auth.js'
import { ChangePassword, ConfirmReset, RequestReset } from '../../services/accounts/password-reset.js'
import { Register } from '../../services/accounts/registration.js'
import { UserRecord } from '../../services/accounts/users.js'
import { endpoints } from '../endpoints.js'
import type { ApiKit } from './kit.js'

const Profile = z.object({
  user_id: z.string(),
  email: z.string(),
  username: z.string(),
  name: z.string(),
  role: z.string(),
  role_label: z.string(),
  created_at: z.string(),
})

/** Binds a sign-in at the provider to the browser that began it. */
const browserCookie = 'slugline_oauth'
const Message = z.object({ message: z.string() })

/** Sign in, sign out, who is signed in, and passwords (4.1). */
export function authRoutes({ services, authentication, config }: ApiKit) {
  const { auth } = authentication
  const api = endpoints('auth', authentication)
  const sameSite = { lax: 'Lax', strict: 'Strict', none: 'None' } as const
  const writeCookie = (c: Ctx, value: string, maxAge: number) => {
    const { cookie_name, cookie_secure, cookie_samesite } = config()
    const attributes = {
      path: '/',
      httpOnly: true,
      secure: cookie_secure,
      sameSite: sameSite[cookie_samesite],
      maxAge,
    }
    setCookie(c, cookie_name, value, attributes)
  }
  const sessionSeconds = () => Math.floor(duration(config().cookie_duration) / 1000)
  const sent = (c: Ctx) => cookieOf(c, config().cookie_name)

  api.post(
    '/auth/login',
    'public',
    {
      summary: 'Sign in; the session is in the cookie',
      limited: true,
      body: Login,
      answers: { shape: Profile.omit({ role: true, role_label: true }) },
    },
    async (c, { body }) => {
      const { cookie, user } = await auth.login(actorOf(c), body, sent(c))
      writeCookie(c, cookie, sessionSeconds())
      const { user_id, email, username, name, date_created } = user
      return c.json({ user_id, email, username, name, created_at: date_created })
    },
  )
  api.post('/auth/logout', 'public', { summary: 'Sign out, whether or not signed in' }, async c => {
    const cookie = sent(c)
    c.env.identity = cookie ? await auth.identify({ cookie, bearer: undefined }) : undefined
    await auth.logout(actorOf(c), cookie)
    writeCookie(c, '', 0)
    return c.json({ message: 'signed out' })
  })
  api.get('/auth/me', 'public', { summary: 'Who is signed in', answers: { shape: Profile } }, async c => {
    c.env.identity = await auth.identify({ cookie: sent(c), bearer: undefined })
    return c.json(await auth.profile(actorOf(c)))
  })
  api.get(
    '/auth/oauth/login',
    'public',
    { summary: 'Go to the OAuth provider to sign in', limited: true, answers: { status: 302 } },
    async c => {
      const { url, browser } = await services.oauth.begin(cookieOf(c, browserCookie))
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
    '/auth/oauth/callback',
    'public',
    {
      summary: 'Where the provider sends the browser back; the session is in the cookie',
      limited: true,
      answers: { status: 302 },
    },
    async c => {
      const cookie = await services.oauth.finish(actorOf(c), new URL(c.req.url).searchParams, {
        browser: cookieOf(c, browserCookie),
        old: sent(c),
      })
      writeCookie(c, cookie, sessionSeconds())
      setCookie(c, browserCookie, '', { path: '/', httpOnly: true, maxAge: 0 })
      return c.redirect(config().oauth_success_redirect)
    },
  )
  api.post(
    '/auth/register',
    'public',
    {
      summary: 'Make an account of one’s own; it is a viewer’s',
      limited: true,
      body: Register,
      answers: { status: 201, shape: UserRecord },
    },
    async (c, { body }) => c.json(await services.registration.register(actorOf(c), body), 201),
  )
  api.post(
    '/auth/reset',
    'signed-in',
    {
      summary: 'Change one’s password, which ends one’s other sessions',
      limited: true,
      body: ChangePassword,
      answers: { shape: Message },
    },
    async (c, { body }) => {
      await services.passwordReset.change(actorOf(c), body)
      return c.json({ message: 'the password is changed' })
    },
  )
  api.post(
    '/auth/request-password-reset',
    'public',
    {
      summary: 'Ask for a mail with a link that sets a new password',
      limited: true,
      body: RequestReset,
      answers: { shape: Message },
    },
    (c, { body }) => {
      services.passwordReset.request(actorOf(c), body)
      return c.json({ message: 'if there is such an account, a mail is on its way' })
    },
  )
  api.post(
    '/auth/confirm-password-reset',
    'public',
    {
      summary: 'Set a new password by the token of the mail',
      limited: true,
      body: ConfirmReset,
      answers: { shape: Message },
    },
    async (c, { body }) => {
      await services.passwordReset.confirm(actorOf(c), body)
      return c.json({ message: 'the password is set' })
    },
  )
  return api
}
