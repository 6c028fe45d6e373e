import { z } from 'zod'
import { actorOf } from '../../middleware/context.js'
import { BrokenValues } from '../../services/content/broken-values.js'
import { changesRules, FieldCreate, FieldUpdate } from '../../services/content/fields.js'
import { cascadeRoute } from '../cascade-routes.js'
import type { SpaceContext } from '../context.js'
import { createRoute, idOf, idQuery, listRoute } from '../crud-routes.js'
import { type Endpoints, endpoints } from '../endpoints.js'

export function fieldRoutes(context: SpaceContext) {
  const { space, permission, tag, recordResponses, authentication } = context
  const api = endpoints(tag('fields'), authentication)
  checkEndpoint(api, context)
  const service = space.fields
  const resource = { api, path: pathIn(context), permission: permission('fields'), service, recordResponses }
  listRoute(resource, ['parent_id', 'name', 'field_type'])
  createRoute(resource, FieldCreate)
  updateEndpoint(api, context)
  cascadeRoute(api, context, {
    kind: 'fields',
    flag: 'values',
    dependents: 'its stored values',
    also: ['content'],
  })
  return api
}

const pathIn = ({ prefix }: SpaceContext) => `${prefix}/fields` as const

function checkEndpoint(api: Endpoints, context: SpaceContext): void {
  const { fields } = context.space
  api.get(
    `${pathIn(context)}/check`,
    `${context.permission('fields')}:read`,
    {
      summary: 'List the stored values that break the rules of a field',
      query: idQuery,
      answers: { shape: BrokenValues },
    },
    async (c, { query }) =>
      c.json(await fields.brokenValues(await fields.get(idOf(query, undefined, fields.table.key)))),
  )
}

function updateEndpoint(api: Endpoints, context: SpaceContext): void {
  const { fields } = context.space
  const { recordResponses } = context
  api.put(
    pathIn(context),
    `${context.permission('fields')}:update`,
    {
      summary: 'Update a field',
      description:
        'If the rules change, `broken_values` lists the stored values that break them. `dry_run=true` saves nothing.',
      query: z.object({ ...idQuery.shape, dry_run: z.enum(['true', 'false']).optional() }),
      item: fields.table.key,
      ifMatch: true,
      body: FieldUpdate,
      answers: { shape: { table: fields.table, more: z.object({ broken_values: BrokenValues }) } },
    },
    async (c, { body, query }) => {
      const id = idOf(query, await c.req.json(), fields.table.key)
      const check = recordResponses.ifMatch(c)
      const isDry = query.dry_run === 'true'
      const record = isDry
        ? await fields.preview(id, body, check)
        : await fields.update(actorOf(c), id, body, check)
      const tells = isDry || changesRules(body)
      const more = tells ? { broken_values: await fields.brokenValues(record) } : {}
      return recordResponses.answer(c, record, 200, more)
    },
  )
}
