import { z } from 'zod'
import { actorOf, idParam } from '../../middleware/context.js'
import { SshKeyCreate, SshKeyRecord } from '../../services/accounts/ssh-keys.js'
import { reference } from '../../services/body-parts.js'
import type { ApiContext } from '../context.js'
import { endpoints } from '../endpoints.js'

/** Keys for the terminal interface: one's own, and with `ssh_keys:*` those of others. */
export function sshKeyRoutes({ services: { sshKeys }, authentication }: ApiContext) {
  const api = endpoints('ssh keys', authentication)
  const query = z.object({ user_id: reference.optional() })

  api.get(
    '/ssh-keys',
    'signed-in',
    { summary: 'List SSH keys', query, answers: { shape: z.array(SshKeyRecord) } },
    async (c, { query: { user_id } }) => c.json(await sshKeys.list(actorOf(c), user_id)),
  )
  api.post(
    '/ssh-keys',
    'signed-in',
    {
      summary: 'Add your own SSH key',
      body: SshKeyCreate,
      answers: { status: 201, shape: SshKeyRecord },
    },
    async (c, { body }) => c.json(await sshKeys.add(actorOf(c), body), 201),
  )
  api.delete(
    '/ssh-keys/:ssh_key_id',
    'signed-in',
    { summary: 'Remove an SSH key', answers: { status: 204 } },
    async c => {
      await sshKeys.remove(actorOf(c), idParam(c, 'ssh_key_id'))
      return c.body(null, 204)
    },
  )
  return api
}
