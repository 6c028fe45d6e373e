import { actorOf } from '../../middleware/context.js'
import { ChangesDrop, ChangesDropped, WaitingChanges } from '../../services/content/pending-changes.js'
import type { SpaceContext } from '../context.js'
import { idOf, idQuery } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

/** Changes of published trees that wait for the next publish. */
export function contentChangeRoutes({
  space: { changes },
  prefix,
  permission,
  tag,
  authentication,
}: SpaceContext) {
  const api = endpoints(tag('content changes'), authentication)
  const path = `${prefix}/content/changes` as const
  const may = permission('content')
  api.get(
    path,
    // The response shows drafts.
    `${may}:update`,
    {
      summary: 'List the unpublished changes of a content tree',
      query: idQuery,
      answers: { shape: WaitingChanges },
    },
    async (c, { query }) => c.json(await changes.list(idOf(query, undefined, 'content_data_id'))),
  )
  api.post(
    `${path}/drop`,
    `${may}:update`,
    {
      summary: 'Discard the unpublished changes of a content tree',
      body: ChangesDrop,
      answers: { shape: ChangesDropped },
    },
    async (c, { body }) => c.json(await changes.drop(actorOf(c), body.content_data_id)),
  )
  return api
}
