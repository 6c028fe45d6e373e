import { z } from 'zod'
import { actorOf } from '../../middleware/context.js'
import { PasswordLink, PasswordLinkMade } from '../../services/accounts/password-links.js'
import {
  ReassignDelete,
  Reassigned,
  UserCreate,
  UserRecord,
  UserUpdate,
} from '../../services/accounts/users.js'
import type { ApiContext } from '../context.js'
import { idOf, idQuery, listRoute } from '../crud-routes.js'
import { type Endpoints, endpoints } from '../endpoints.js'

const part = z.array(z.record(z.string(), z.json())).optional()
const FullUser = UserRecord.extend({
  second_factor: z.boolean().optional().meta({
    description: 'Whether the account has a second factor or a passkey. For others it takes `users:update`.',
  }),
  oauth_connections: part,
  ssh_keys: part,
  sessions: part,
  tokens: part,
}).meta({ description: 'Parts that the caller may not read are absent.' })

function passwordLinkRoute(api: Endpoints, passwordLinks: ApiContext['services']['passwordLinks']): void {
  api.post(
    '/users/password-link',
    'users:update',
    {
      name: 'createPasswordLink',
      summary: 'Create a link with which a user sets their password',
      description:
        'The link works once: for seven days if the user has no password yet, which makes it an invitation, and for an hour otherwise. Earlier links of the user stop working.',
      body: PasswordLink,
      answers: { status: 201, shape: PasswordLinkMade },
    },
    async (c, { body }) => c.json(await passwordLinks.create(actorOf(c), body), 201),
  )
}

/** Users. Who may change what in whose account is the service's to say. */
export function userRoutes({ services, recordResponses, authentication }: ApiContext) {
  const { users } = services
  const api = endpoints('users', authentication)
  const path = '/users'

  listRoute(
    { api, path, permission: 'users', service: users, recordResponses },
    ['role', 'email', 'username'],
    UserRecord,
  )
  api.post(
    path,
    'users:create',
    { summary: 'Create a user', body: UserCreate, answers: { status: 201, shape: UserRecord } },
    async (c, { body }) => recordResponses.answer(c, await users.create(actorOf(c), body), 201),
  )
  api.put(
    path,
    'signed-in',
    {
      summary: 'Update a user',
      description: 'Without `users:update` you can change your own name only.',
      item: 'user_id',
      ifMatch: true,
      query: idQuery,
      body: UserUpdate,
      answers: { shape: UserRecord },
    },
    async (c, { body, query }) => {
      const id = idOf(query, await c.req.json(), 'user_id')
      return recordResponses.answer(c, await users.update(actorOf(c), id, body, recordResponses.ifMatch(c)))
    },
  )
  api.delete(
    path,
    'users:delete',
    {
      summary: 'Delete a user',
      description:
        'Returns 409 if the user is the author of a record. `POST /users/reassign-delete` deletes such a user.',
      item: 'user_id',
      ifMatch: true,
      query: idQuery,
      answers: { status: 204 },
    },
    async (c, { query }) => {
      await users.remove(actorOf(c), idOf(query, undefined, 'user_id'), recordResponses.ifMatch(c))
      return c.body(null, 204)
    },
  )
  accountEndpoints(api, services, recordResponses)
  return api
}

function accountEndpoints(
  api: Endpoints,
  { users, accounts, secondFactor, passwordLinks }: ApiContext['services'],
  recordResponses: ApiContext['recordResponses'],
): void {
  api.get(
    '/users/full',
    'signed-in',
    {
      name: 'getFullUser',
      summary: 'Get a user with OAuth connections, SSH keys, sessions and API keys',
      query: idQuery,
      answers: { shape: FullUser },
    },
    async (c, { query }) =>
      recordResponses.answer(c, await accounts.full(actorOf(c), idOf(query, undefined, 'user_id'))),
  )
  api.delete(
    '/users/second-factor',
    'users:update',
    {
      name: 'resetSecondFactor',
      summary: "Remove another user's second factor and passkeys",
      description: 'For a user who has lost their device. Ends all sessions of the user.',
      query: idQuery,
      answers: { status: 204 },
    },
    async (c, { query }) => {
      await secondFactor.reset(actorOf(c), idOf(query, undefined, 'user_id'))
      return c.body(null, 204)
    },
  )
  api.post(
    '/users/reassign-delete',
    'users:delete',
    {
      name: 'reassignAndDeleteUser',
      summary: 'Delete a user and reassign their records to another user',
      body: ReassignDelete,
      answers: { shape: Reassigned },
    },
    async (c, { body }) => c.json(await users.reassignAndDelete(actorOf(c), body)),
  )
  passwordLinkRoute(api, passwordLinks)
}
