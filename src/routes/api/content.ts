import { z } from 'zod'
import { invalid } from '../../errors.js'
import { actorOf, idParam } from '../../middleware/context.js'
import { Removal } from '../../services/content/cascades.js'
import {
  ContentCreate,
  ContentMove,
  ContentReorder,
  ContentUpdate,
} from '../../services/content/content-input.js'
import { Duplicate } from '../../services/content/duplicate.js'
import { withoutChildren } from '../../services/content/entry-tree.js'
import { Publish, PublishCheck } from '../../services/content/publishing.js'
import { Heal, HealReport } from '../../services/content/repair.js'
import { Schedule } from '../../services/content/schedule.js'
import { RawPage } from '../../services/delivery/formats/shapes.js'
import type { SpaceContext } from '../context.js'
import { flag, idOf, idQuery, listRoute } from '../crud-routes.js'
import { type Endpoints, endpoints } from '../endpoints.js'
import { deliveries, rowsSource } from '../page-answer.js'

/** Entries of content trees. */
export function contentRoutes(context: SpaceContext) {
  const api = endpoints(context.tag('content'), context.authentication)
  treeEndpoints(api, context)
  repairEndpoint(api, context)
  publicationEndpoints(api, context)
  entryEndpoints(api, context)
  return api
}

const pathIn = ({ prefix }: SpaceContext) => `${prefix}/content` as const

function treeEndpoints(api: Endpoints, context: SpaceContext) {
  const { content, copies, pages } = context.space
  const { recordResponses } = context
  const { table } = content
  const path = pathIn(context)
  const word = context.permission('content')
  const deliver = deliveries('private', rowsSource(pages))
  api.get(
    `${path}/tree/:route_id`,
    // Drafts are in it.
    `${word}:update`,
    { summary: 'Get the raw entries and values of a route', answers: { shape: RawPage } },
    async c => deliver(c.req.raw, c.env, await pages.treeRequest(idParam(c, 'route_id'))),
  )
  api.post(
    `${path}/move`,
    `${word}:update`,
    {
      summary: 'Move an entry to another parent or position',
      body: ContentMove,
      answers: { shape: { table } },
    },
    async (c, { body }) => recordResponses.written(c, actor => content.move(actor, body)),
  )
  api.post(
    `${path}/reorder`,
    `${word}:update`,
    {
      summary: 'Reorder the child entries of a parent',
      body: ContentReorder,
      answers: { shape: { table, list: true } },
    },
    async (c, { body }) => c.json(await content.reorder(actorOf(c), body)),
  )
  api.post(
    `${path}/duplicate`,
    `${word}:create`,
    {
      summary: 'Duplicate an entry with everything under it as drafts',
      body: Duplicate,
      answers: { status: 201, shape: { table } },
    },
    async (c, { body }) =>
      recordResponses.written(c, actor => copies.duplicate(actor, body), { status: 201 }),
  )
}

function repairEndpoint(api: Endpoints, context: SpaceContext) {
  const { healing } = context.space
  api.post(
    `${pathIn(context)}/heal`,
    `${context.permission('content')}:admin`,
    {
      summary: 'Find damaged content trees',
      description: 'Repairs them with `dry_run: false`.',
      body: Heal,
      answers: { shape: HealReport },
    },
    async (c, { body }) => c.json(await healing.heal(actorOf(c), body)),
  )
}

function publicationEndpoints(api: Endpoints, context: SpaceContext) {
  const { publishing, content } = context.space
  const { recordResponses, publish } = context
  const path = pathIn(context)
  const answers = { shape: { table: content.table } }
  api.get(
    `${path}/check`,
    // Drafts are in it.
    `${context.permission('content')}:update`,
    {
      summary: 'List the problems that prevent publishing an entry',
      query: idQuery,
      answers: { shape: PublishCheck },
    },
    async (c, { query }) => c.json(await publishing.check(idOf(query, undefined, content.table.key))),
  )
  api.post(
    `${path}/publish`,
    publish,
    { summary: 'Publish an entry with everything under it', body: Publish, answers },
    async (c, { body }) => recordResponses.written(c, actor => publishing.publish(actor, body)),
  )
  api.post(
    `${path}/unpublish`,
    publish,
    {
      summary: 'Unpublish an entry with everything under it',
      body: Publish.omit({ locale: true }),
      answers,
    },
    async (c, { body }) =>
      recordResponses.answer(c, await publishing.unpublish(actorOf(c), body.content_data_id)),
  )
  api.post(
    `${path}/schedule`,
    publish,
    {
      summary: 'Schedule when an entry is published and unpublished',
      description: '`null` cancels a schedule.',
      body: Schedule,
      answers,
    },
    async (c, { body }) => recordResponses.answer(c, await publishing.schedule(actorOf(c), body)),
  )
}

function entryEndpoints(api: Endpoints, context: SpaceContext) {
  const { content, records, cascades } = context.space
  const { recordResponses } = context
  const path = pathIn(context)
  const word = context.permission('content')
  api.delete(
    path,
    `${word}:delete`,
    {
      summary: 'Move an entry to the trash',
      description:
        'Its field values and versions move too, and with `recursive=true` its child entries. `dry_run=true` only counts them.',
      item: content.table.key,
      ifMatch: true,
      query: z.object({ ...idQuery.shape, recursive: flag, dry_run: flag }),
      answers: { status: 204 },
      dryRun: Removal,
    },
    async (c, { query }) => {
      const id = idOf(query, undefined, content.table.key)
      if (query.dry_run && !query.recursive) throw invalid('dry_run', 'needs recursive=true')
      if (query.dry_run) return c.json(await cascades.count('content', id))
      await content.remove(actorOf(c), id, recordResponses.ifMatch(c), query.recursive === true)
      return c.body(null, 204)
    },
  )
  listRoute({ api, path, permission: word, service: content, reads: records.content, recordResponses }, [
    'datatype_id',
    'route_id',
    'parent_id',
    'root_id',
    'status',
    'author_id',
  ])
  api.post(
    path,
    `${word}:create`,
    {
      summary: 'Create an entry, with its values and everything under it',
      body: ContentCreate,
      answers: { status: 201, shape: { table: content.table, tree: true } },
    },
    async (c, { body }) =>
      recordResponses.written(c, actor => content.create(actor, body), {
        status: 201,
        tagged: withoutChildren,
      }),
  )
  api.put(
    path,
    `${word}:update`,
    {
      summary: 'Update an entry with its values and child entries',
      item: content.table.key,
      ifMatch: true,
      query: idQuery,
      body: ContentUpdate,
      answers: { shape: { table: content.table, tree: true } },
    },
    async (c, { body, query }) => {
      const id = idOf(query, await c.req.json(), content.table.key)
      const check = recordResponses.ifMatch(c)
      return recordResponses.written(c, actor => content.update(actor, id, body, check), {
        tagged: withoutChildren,
      })
    },
  )
}
