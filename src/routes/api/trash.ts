import { actorOf } from '../../middleware/context.js'
import { TrashRestore, TrashRestored } from '../../services/content/trash.js'
import type { SpaceContext } from '../context.js'
import { deleteRoute, listRoute } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

/** Deleted content, which can be restored until its time is over. */
export function trashRoutes(context: SpaceContext) {
  const { space, prefix, permission, tag, recordResponses, authentication } = context
  const { trash } = space
  const api = endpoints(tag('trash'), authentication)
  const path = `${prefix}/trash` as const
  const may = permission('content')
  // The titles of drafts are in it.
  const access = { read: `${may}:update`, write: `${may}:delete` } as const
  const resource = { api, path, permission: access, service: trash, recordResponses }

  listRoute(resource, ['content_data_id', 'datatype_id', 'parent_id', 'deleted_by'])
  api.post(
    `${path}/restore`,
    // Whoever may delete may take that back.
    access.write,
    {
      summary: 'Restore a deleted entry with everything that was under it',
      body: TrashRestore,
      answers: { shape: TrashRestored },
    },
    async (c, { body }) => c.json(await trash.restore(actorOf(c), body.trash_id)),
  )
  deleteRoute(resource)
  return api
}
