import { z } from 'zod'
import { actorOf, type Ctx } from '../../middleware/context.js'
import { DeviceSignInBegin, DeviceSignInState } from '../../services/accounts/device-sign-in.js'
import { originOf } from '../../services/site-origin.js'
import type { ApiContext } from '../context.js'
import type { Endpoints } from '../endpoints.js'

const Begun = z.object({
  user_code: z.string().meta({ description: 'The code that the person compares.', examples: ['BCDF-GHJK'] }),
  verification_url: z.url().meta({ description: 'The page of the panel where the person approves.' }),
  interval: z.int().meta({ description: 'How long to wait between two requests for the state, in seconds.' }),
  expires_in: z.int().meta({ description: 'How long the code is valid, in seconds.' }),
})
const SignedIn = z.object({ email: z.string().meta({ description: 'The user of the new API key.' }) })

/** Signing in a command line, which a person approves in the panel. */
export function deviceSignInEndpoints(
  api: Endpoints,
  { services: { deviceSignIn }, config }: ApiContext,
): void {
  /** The configured address, else that of the request: nobody but its sender gets the response. */
  const pageFor = (c: Ctx, code: string) =>
    `${originOf(config()) || new URL(c.req.url).origin}/admin/connect?code=${code}`

  api.post(
    '/auth/device',
    'public',
    {
      name: 'startDeviceSignIn',
      summary: 'Start to sign in a command line',
      description: 'A person approves it in the panel. Then the device code is an API key of that person.',
      fails: [409, 503],
      limited: true,
      body: DeviceSignInBegin,
      answers: { shape: Begun },
    },
    async (c, { body }) => {
      const begun = await deviceSignIn.begin(actorOf(c), body)
      return c.json({ ...begun, verification_url: pageFor(c, begun.user_code) })
    },
  )
  api.post(
    '/auth/device/state',
    'public',
    {
      name: 'getDeviceSignIn',
      summary: 'Get the state of the sign-in of a command line',
      description:
        'Until it is approved, the response is an error with the code `sign_in_pending`, `sign_in_denied`, `sign_in_expired` or, for a caller who does not wait long enough, `too_many_requests`.',
      fails: [429],
      body: DeviceSignInState,
      answers: { shape: SignedIn },
    },
    async (c, { body }) => c.json(await deviceSignIn.state(actorOf(c), body)),
  )
}
