import { z } from 'zod'
import { actorOf } from '../../middleware/context.js'
import { Login } from '../../services/accounts/auth.js'
import { Register } from '../../services/accounts/registration.js'
import { UserRecord } from '../../services/accounts/users.js'
import type { ApiContext } from '../context.js'
import { type Endpoints, endpoints } from '../endpoints.js'
import { deviceSignInEndpoints } from './device-sign-in.js'
import { oauthEndpoints, oauthLinkEndpoints } from './oauth.js'
import { passkeyEndpoints } from './passkeys.js'
import { Message, passwordEndpoints } from './passwords.js'
import { secondFactorEndpoints } from './second-factor.js'

const Profile = z.object({
  user_id: z.string(),
  email: z.string(),
  username: z.string(),
  name: z.string(),
  role: z.string(),
  role_label: z.string(),
  created_at: z.string(),
})

/** Everything under `/auth`. */
export function authRoutes(context: ApiContext) {
  const api = endpoints('auth', context.authentication)
  signInEndpoints(api, context)
  oauthEndpoints(api, context)
  oauthLinkEndpoints(api, context)
  registrationEndpoint(api, context)
  passwordEndpoints(api, context)
  deviceSignInEndpoints(api, context)
  secondFactorEndpoints(api, context)
  passkeyEndpoints(api, context)
  return api
}

function signInEndpoints(api: Endpoints, { authentication: { auth, cookie } }: ApiContext) {
  api.post(
    '/auth/login',
    'public',
    {
      name: 'login',
      summary: 'Sign in',
      description:
        'The response sets the session cookie. If the account has a second factor, the response without `code` is 401 `second_factor_required`.',
      fails: [401],
      limited: true,
      body: Login,
      answers: { shape: Profile.omit({ role: true, role_label: true }) },
    },
    async (c, { body }) => {
      const { cookie: session, user } = await auth.login(actorOf(c), body, cookie.read(c))
      cookie.write(c, session)
      const { user_id, email, username, name, date_created } = user
      return c.json({ user_id, email, username, name, created_at: date_created })
    },
  )
  api.post(
    '/auth/logout',
    'public',
    { name: 'logout', summary: 'Sign out', answers: { shape: Message } },
    async c => {
      const session = cookie.read(c)
      c.env.identity = session ? await auth.identify({ cookie: session, bearer: undefined }) : undefined
      await auth.logout(actorOf(c), session)
      cookie.clear(c)
      return c.json({ message: 'signed out' })
    },
  )
  api.get(
    '/auth/me',
    'public',
    {
      name: 'getMe',
      summary: 'Get the account that is signed in',
      fails: [401],
      answers: { shape: Profile },
    },
    async c => {
      c.env.identity = await auth.identify({ cookie: cookie.read(c), bearer: undefined })
      return c.json(await auth.profile(actorOf(c)))
    },
  )
}

function registrationEndpoint(api: Endpoints, { services: { registration } }: ApiContext) {
  api.post(
    '/auth/register',
    'public',
    {
      name: 'register',
      summary: 'Register an account',
      description: 'The account has the role `viewer`.',
      limited: true,
      body: Register,
      // New accounts are viewers, whatever role they name.
      drops: ['role_id'],
      answers: { status: 201, shape: UserRecord },
    },
    async (c, { body }) => c.json(await registration.register(actorOf(c), body), 201),
  )
}
