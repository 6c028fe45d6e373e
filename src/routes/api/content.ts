import { z } from 'zod'
import { actorOf } from '../../middleware/context.js'
import { ContentCreate, ContentMove, ContentReorder, ContentUpdate } from '../../services/content.js'
import { createRoute, idOf, idQuery, listRoute, type Resource, updateRoute } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import { answerPage } from '../page-answer.js'
import type { ApiKit } from './kit.js'

/** Entries of content trees (4.5), and moves inside them. */
export function contentRoutes({ services: { content, pages }, records, authentication }: ApiKit) {
  const api = endpoints('content', authentication)
  const { table } = content
  api.get(
    '/content/tree/:route_id',
    'content:read',
    { summary: 'The whole tree of a route, raw', answers: { shape: z.json() } },
    async c => answerPage(c.req.raw, c.env, await pages.treeOf(c.req.param('route_id') ?? ''), 'private'),
  )
  api.post(
    '/content/move',
    'content:update',
    {
      summary: 'Move an entry under another parent or to another position',
      body: ContentMove,
      answers: { shape: { table } },
    },
    async (c, { body }) => records.answer(c, await content.move(actorOf(c), body)),
  )
  api.post(
    '/content/reorder',
    'content:update',
    {
      summary: 'Put the children of a parent in a new order',
      body: ContentReorder,
      answers: { shape: { table, list: true } },
    },
    async (c, { body }) => c.json(await content.reorder(actorOf(c), body)),
  )
  api.delete(
    '/content',
    'content:delete',
    {
      summary: 'Delete an entry with its field values; recursive=true takes its child entries along',
      query: z.object({ ...idQuery.shape, recursive: z.enum(['true', 'false']).optional() }),
      answers: { status: 204 },
    },
    async (c, { query }) => {
      const id = idOf(query, undefined, table.key)
      await content.remove(actorOf(c), id, records.ifMatch(c), query.recursive === 'true')
      return c.body(null, 204)
    },
  )
  const resource: Resource = { api, path: '/content', permission: 'content', service: content, records }
  listRoute(resource, ['datatype_id', 'route_id', 'parent_id', 'root_id', 'status', 'author_id'])
  createRoute(resource, ContentCreate)
  updateRoute(resource, ContentUpdate)
  return api
}
