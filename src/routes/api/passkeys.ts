import { z } from 'zod'
import { actorOf, type Ctx, idParam } from '../../middleware/context.js'
import {
  PasskeyAdd,
  PasskeyBegin,
  PasskeyLogin,
  PasskeyRecord,
  PasskeyRename,
} from '../../services/accounts/passkey-bodies.js'
import type { ApiContext } from '../context.js'
import type { Endpoints } from '../endpoints.js'

const path = '/auth/passkeys'
const Options = z.record(z.string(), z.json())
const SignedIn = z.object({
  user_id: z.string(),
  email: z.string(),
  username: z.string(),
  name: z.string(),
  created_at: z.string(),
})

const hostOf = (c: Ctx): string => new URL(c.req.url).host

/** Passkeys of one's own account, and signing in with one. */
export function passkeyEndpoints(api: Endpoints, context: ApiContext) {
  signInEndpoints(api, context)
  addEndpoints(api, context.services)
  changeEndpoints(api, context.services)
}

function signInEndpoints(
  api: Endpoints,
  { services: { passkeys }, authentication: { cookie } }: ApiContext,
): void {
  api.post(
    `${path}/login/options`,
    'public',
    {
      name: 'beginPasskeyLogin',
      summary: 'Start to sign in with a passkey',
      description:
        'The response is the `PublicKeyCredentialRequestOptionsJSON` for `navigator.credentials.get`. Its challenge is valid for 5 minutes, for one answer.',
      limited: true,
      answers: { shape: Options },
    },
    async c => c.json(await passkeys.beginSignIn(hostOf(c))),
  )
  api.post(
    `${path}/login`,
    'public',
    {
      name: 'loginWithPasskey',
      summary: 'Sign in with a passkey',
      description: 'The response sets the session cookie. A passkey counts as both factors.',
      fails: [401],
      limited: true,
      body: PasskeyLogin,
      answers: { shape: SignedIn },
    },
    async (c, { body }) => {
      const { cookie: session, user } = await passkeys.signIn(actorOf(c), body, cookie.read(c))
      cookie.write(c, session)
      const { user_id, email, username, name, date_created } = user
      return c.json({ user_id, email, username, name, created_at: date_created })
    },
  )
}

type Parts = Pick<ApiContext['services'], 'passkeys'>

function addEndpoints(api: Endpoints, { passkeys }: Parts): void {
  api.get(
    path,
    'own-account',
    { name: 'listPasskeys', summary: 'List your passkeys', answers: { shape: z.array(PasskeyRecord) } },
    async c => c.json(await passkeys.list(actorOf(c))),
  )
  api.post(
    `${path}/options`,
    'own-account',
    {
      name: 'beginPasskey',
      summary: 'Start to add a passkey',
      description:
        'The response is the `PublicKeyCredentialCreationOptionsJSON` for `navigator.credentials.create`. Its challenge is valid for 5 minutes, for one answer. Needs a session.',
      fails: [401],
      limited: true,
      secret: true,
      body: PasskeyBegin,
      answers: { shape: Options },
    },
    async (c, { body }) => c.json({ ...(await passkeys.begin(actorOf(c), hostOf(c), body)) }),
  )
  api.post(
    path,
    'own-account',
    {
      name: 'addPasskey',
      summary: 'Add a passkey',
      description: 'Needs the session that began.',
      fails: [401],
      limited: true,
      body: PasskeyAdd,
      answers: { status: 201, shape: PasskeyRecord },
    },
    async (c, { body }) => c.json(await passkeys.add(actorOf(c), body), 201),
  )
}

function changeEndpoints(api: Endpoints, { passkeys }: Parts): void {
  api.put(
    `${path}/:passkey_id`,
    'signed-in',
    {
      name: 'renamePasskey',
      summary: 'Change the name of a passkey',
      description: 'Needs a session.',
      fails: [401],
      body: PasskeyRename,
      answers: { shape: PasskeyRecord },
    },
    async (c, { body }) => c.json(await passkeys.rename(actorOf(c), idParam(c, 'passkey_id'), body)),
  )
  api.delete(
    `${path}/:passkey_id`,
    'signed-in',
    {
      name: 'removePasskey',
      summary: 'Remove a passkey',
      description: 'Needs a session.',
      fails: [401],
      answers: { status: 204 },
    },
    async c => {
      await passkeys.remove(actorOf(c), idParam(c, 'passkey_id'))
      return c.body(null, 204)
    },
  )
}
