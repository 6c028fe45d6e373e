import { z } from 'zod'
import { actorOf } from '../../middleware/context.js'
import {
  ContentCreate,
  ContentMove,
  ContentReorder,
  ContentUpdate,
} from '../../services/content/content-input.js'
import { Duplicate } from '../../services/content/duplicate.js'
import { Publish } from '../../services/content/publishing.js'
import { Heal, HealReport } from '../../services/content/repair.js'
import { Schedule } from '../../services/content/schedule.js'
import { createRoute, idOf, idQuery, listRoute, type Resource, updateRoute } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import { deliveries, pageSource } from '../page-answer.js'
import type { SpaceKit } from './kit.js'

/** Entries of content trees (4.5), and moves inside them. */
export function contentRoutes({
  space,
  prefix,
  permission,
  publish,
  tag,
  records,
  authentication,
}: SpaceKit) {
  const { content, pages } = space
  const api = endpoints(tag('content'), authentication)
  const deliver = deliveries('private', pageSource(pages))
  const { table } = content
  const path = `${prefix}/content` as const
  const may = permission('content')
  api.get(
    `${path}/tree/:route_id`,
    `${may}:read`,
    { summary: 'The whole tree of a route, raw', answers: { shape: z.json() } },
    async c => deliver(c.req.raw, c.env, await pages.treeRequest(c.req.param('route_id') ?? '')),
  )
  api.post(
    `${path}/move`,
    `${may}:update`,
    {
      summary: 'Move an entry under another parent or to another position',
      body: ContentMove,
      answers: { shape: { table } },
    },
    async (c, { body }) => records.answer(c, await content.move(actorOf(c), body)),
  )
  api.post(
    `${path}/reorder`,
    `${may}:update`,
    {
      summary: 'Put the children of a parent in a new order',
      body: ContentReorder,
      answers: { shape: { table, list: true } },
    },
    async (c, { body }) => c.json(await content.reorder(actorOf(c), body)),
  )
  api.post(
    `${path}/duplicate`,
    `${may}:create`,
    {
      summary: 'Copy an entry with everything under it, as drafts',
      body: Duplicate,
      answers: { status: 201, shape: { table } },
    },
    async (c, { body }) => records.answer(c, await space.copies.duplicate(actorOf(c), body), 201),
  )
  api.post(
    `${path}/heal`,
    `${may}:admin`,
    {
      summary: 'Find damage of content trees, and with dry_run false repair it',
      body: Heal,
      answers: { shape: HealReport },
    },
    async (c, { body }) => c.json(await space.healing.heal(actorOf(c), body)),
  )
  const { publishing } = space
  const shape = { answers: { shape: { table } } }
  api.post(
    `${path}/publish`,
    publish,
    { summary: 'Publish an entry with everything under it', body: Publish, ...shape },
    async (c, { body }) => records.answer(c, await publishing.publish(actorOf(c), body)),
  )
  api.post(
    `${path}/unpublish`,
    publish,
    {
      summary: 'Take an entry back with everything under it',
      body: Publish.omit({ locale: true }),
      ...shape,
    },
    async (c, { body }) => records.answer(c, await publishing.unpublish(actorOf(c), body.content_data_id)),
  )
  api.post(
    `${path}/schedule`,
    publish,
    {
      summary: 'Plan when an entry is published and taken back; null takes a plan back',
      body: Schedule,
      answers: { shape: { table } },
    },
    async (c, { body }) => records.answer(c, await publishing.schedule(actorOf(c), body)),
  )
  api.delete(
    path,
    `${may}:delete`,
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
  const resource: Resource = { api, path, permission: may, service: content, records }
  listRoute(resource, ['datatype_id', 'route_id', 'parent_id', 'root_id', 'status', 'author_id'])
  createRoute(resource, ContentCreate)
  updateRoute(resource, ContentUpdate)
  return api
}
