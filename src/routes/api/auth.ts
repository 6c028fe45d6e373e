import { setCookie } from 'hono/cookie'
import { z } from 'zod'
import { duration } from '../../durations.js'
import { unauthorized } from '../../errors.js'
import { cookieOf } from '../../middleware/authenticate.js'
import { actorOf, type Ctx, callerOf } from '../../middleware/context.js'
import { Login } from '../../services/auth.js'
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

/** Sign in, sign out, and who is signed in (4.1). */
export function authRoutes({ authentication, config }: ApiKit) {
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
  const sent = (c: Ctx) => cookieOf(c, config().cookie_name)

  api.post(
    '/auth/login',
    'public',
    {
      summary: 'Sign in; the session is in the cookie',
      body: Login,
      answers: { shape: Profile.omit({ role: true, role_label: true }) },
    },
    async (c, { body }) => {
      const { cookie, user } = await auth.login(actorOf(c), body, sent(c))
      writeCookie(c, cookie, Math.floor(duration(config().cookie_duration) / 1000))
      const { user_id, email, username, name, date_created } = user
      return c.json({ user_id, email, username, name, created_at: date_created })
    },
  )
  api.post('/auth/logout', 'public', { summary: 'Sign out, whether or not signed in' }, async c => {
    const cookie = sent(c)
    const identity = cookie ? await auth.identify({ cookie, bearer: undefined }) : undefined
    await auth.logout({ ...actorOf(c), userId: identity?.userId ?? null }, cookie)
    writeCookie(c, '', 0)
    return c.json({ message: 'signed out' })
  })
  api.get('/auth/me', 'public', { summary: 'Who is signed in', answers: { shape: Profile } }, async c => {
    const identity = await auth.identify({ cookie: sent(c), bearer: undefined })
    if (!identity) throw unauthorized("sessions don't match")
    c.env.identity = identity
    return c.json(await auth.profile(callerOf(c)))
  })
  return api
}
