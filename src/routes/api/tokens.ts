import { actorOf } from '../../middleware/context.js'
import { TokenCreate, TokenMade, TokenUpdate } from '../../services/accounts/tokens.js'
import type { ApiContext } from '../context.js'
import { idOf, idQuery, listRoute } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

/** API keys. */
export function tokenRoutes({ services: { tokens }, recordResponses, authentication }: ApiContext) {
  const api = endpoints('tokens', authentication)
  const path = '/tokens'
  const shape = { table: tokens.table }

  listRoute({ api, path, permission: 'tokens', service: tokens, recordResponses }, ['user_id'])
  api.post(
    path,
    'tokens:create',
    {
      summary: 'Create an API key',
      description: 'The response is the only one that has the key itself.',
      secret: true,
      body: TokenCreate,
      answers: { status: 201, shape: TokenMade },
    },
    async (c, { body }) => c.json(await tokens.create(actorOf(c), body), 201),
  )
  api.put(
    path,
    'tokens:update',
    {
      summary: 'Update or revoke an API key',
      item: 'token_id',
      ifMatch: true,
      query: idQuery,
      body: TokenUpdate,
      answers: { shape },
    },
    async (c, { body, query }) => {
      const id = idOf(query, await c.req.json(), 'token_id')
      return recordResponses.answer(c, await tokens.update(actorOf(c), id, body, recordResponses.ifMatch(c)))
    },
  )
  api.delete(
    path,
    'tokens:delete',
    {
      summary: 'Delete an API key',
      item: 'token_id',
      ifMatch: true,
      query: idQuery,
      answers: { status: 204 },
    },
    async (c, { query }) => {
      await tokens.remove(actorOf(c), idOf(query, undefined, 'token_id'), recordResponses.ifMatch(c))
      return c.body(null, 204)
    },
  )
  return api
}
