import { z } from 'zod'
import { actorOf } from '../../middleware/context.js'
import { TokenCreate, TokenUpdate } from '../../services/accounts/tokens.js'
import { idOf, idQuery, listRoute } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { ApiContext } from './context.js'

const Made = z
  .record(z.string(), z.json())
  .meta({ description: 'The record, with the key as `token`: it is shown this once.' })

/** API keys. */
export function tokenRoutes({ services: { tokens }, recordResponses, authentication }: ApiContext) {
  const api = endpoints('tokens', authentication)
  const path = '/tokens'
  const shape = { table: tokens.table }

  listRoute({ api, path, permission: 'tokens', service: tokens, recordResponses }, ['user_id'])
  api.post(
    path,
    'tokens:create',
    { summary: 'Make an API key', body: TokenCreate, answers: { status: 201, shape: Made } },
    async (c, { body }) => c.json(await tokens.create(actorOf(c), body), 201),
  )
  api.put(
    path,
    'tokens:update',
    { summary: 'Change or revoke an API key', query: idQuery, body: TokenUpdate, answers: { shape } },
    async (c, { body, query }) => {
      const id = idOf(query, await c.req.json(), 'token_id')
      return recordResponses.answer(c, await tokens.update(actorOf(c), id, body, recordResponses.ifMatch(c)))
    },
  )
  api.delete(
    path,
    'tokens:delete',
    { summary: 'Delete an API key', query: idQuery, answers: { status: 204 } },
    async (c, { query }) => {
      await tokens.remove(actorOf(c), idOf(query, undefined, 'token_id'), recordResponses.ifMatch(c))
      return c.body(null, 204)
    },
  )
  return api
}
