import { tables } from '../../db/tables.js'
import { actorOf, type Ctx } from '../../middleware/context.js'
import type { ApiContext } from '../context.js'
import { idOf, idQuery } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

/** Sessions: everyone's, and at `/users/sessions` one's own. */
export function sessionRoutes({ services: { sessions }, recordResponses, authentication }: ApiContext) {
  const api = endpoints('sessions', authentication)
  const table = tables.sessions
  const end = async (c: Ctx, id: string) => {
    await sessions.end(actorOf(c), id)
    return c.body(null, 204)
  }

  api.get(
    '/sessions',
    'sessions:read',
    {
      summary: 'List active sessions',
      summaryOfOne: 'Get a session',
      description: 'Each session has the device and the IP address it was opened from.',
      item: 'session_id',
      query: idQuery,
      answers: { shape: { table, list: true } },
    },
    async (c, { query: { q } }) =>
      q === undefined ? c.json(await sessions.live()) : recordResponses.answer(c, await sessions.get(q)),
  )
  api.delete(
    '/sessions',
    'signed-in',
    { summary: 'End a session', item: 'session_id', query: idQuery, answers: { status: 204 } },
    (c, { query }) => end(c, idOf(query, undefined, 'session_id')),
  )
  api.get(
    '/users/sessions',
    'signed-in',
    {
      name: 'listOwnSessions',
      summary: 'List your own active sessions',
      answers: { shape: { table, list: true } },
    },
    async c => c.json(await sessions.own(actorOf(c))),
  )
  api.delete(
    '/users/sessions',
    'signed-in',
    {
      name: 'endOwnSessions',
      summary: 'End your own sessions',
      description: '`q` is the id of one of your sessions, or `others` for all except the current one.',
      query: idQuery,
      answers: { status: 204 },
    },
    async (c, { query }) => {
      if (query.q !== 'others') return end(c, idOf(query, undefined, 'session_id'))
      await sessions.endOthers(actorOf(c))
      return c.body(null, 204)
    },
  )
  return api
}
