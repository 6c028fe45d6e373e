import { DatatypeCreate, DatatypeUpdate } from '../../services/content/datatypes.js'
import { cascadeRoute } from '../cascade-routes.js'
import type { SpaceContext } from '../context.js'
import { readWriteRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

/** Kinds of entries. */
export function datatypeRoutes(context: SpaceContext) {
  const { space, prefix, permission, tag, recordResponses, authentication } = context
  const api = endpoints(tag('datatypes'), authentication)
  readWriteRoutes(
    {
      api,
      path: `${prefix}/datatypes`,
      permission: permission('datatypes'),
      service: space.datatypes,
      recordResponses,
    },
    { create: DatatypeCreate, update: DatatypeUpdate, filters: ['name', 'type', 'parent_id'] },
  )
  cascadeRoute(api, context, {
    kind: 'datatypes',
    flag: 'recursive',
    dependents: 'its fields and entries',
    also: ['fields', 'content'],
  })
  return api
}
