import { z } from 'zod'
import { actorOf } from '../../middleware/context.js'
import { reference } from '../../services/body-parts.js'
import {
  VersionCreate,
  VersionDifference,
  VersionRestore,
  VersionRestored,
} from '../../services/content/versions.js'
import type { SpaceContext } from '../context.js'
import { deleteRoute, listRoute } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

const between = z.object({ from: reference, to: reference })

/** Versions of entries: kept at each publication, at a restore and on demand. */
export function contentVersionRoutes(context: SpaceContext) {
  const { space, prefix, permission, tag, recordResponses, authentication } = context
  const { versions } = space
  const api = endpoints(tag('content versions'), authentication)
  const path = `${prefix}/content/versions` as const
  const may = permission('content')
  // Versions hold unpublished content, so only people who work on content read them.
  const access = { read: `${may}:update`, write: `${may}:delete` } as const
  const resource = { api, path, permission: access, service: versions, recordResponses }

  listRoute(resource, ['content_data_id', 'locale', 'trigger'])
  api.post(
    path,
    `${may}:update`,
    {
      summary: 'Save an entry with everything under it as a version',
      body: VersionCreate,
      answers: { status: 201, shape: { table: versions.table } },
    },
    async (c, { body }) => recordResponses.answer(c, await versions.create(actorOf(c), body), 201),
  )
  deleteRoute(resource)
  api.get(
    `${path}/difference`,
    access.read,
    { summary: 'Compare two versions', query: between, answers: { shape: VersionDifference } },
    async (c, { query: { from, to } }) => c.json(await versions.difference(from, to)),
  )
  api.post(
    `${prefix}/content/restore`,
    `${may}:update`,
    { summary: 'Restore a version', body: VersionRestore, answers: { shape: VersionRestored } },
    async (c, { body }) => c.json(await versions.restore(actorOf(c), body.content_version_id)),
  )
  return api
}
