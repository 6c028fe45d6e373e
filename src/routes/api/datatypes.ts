import { DatatypeCreate, DatatypeUpdate } from '../../services/content/datatypes.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { SpaceContext } from './context.js'

/** Kinds of entries. */
export function datatypeRoutes({
  space,
  prefix,
  permission,
  tag,
  recordResponses,
  authentication,
}: SpaceContext) {
  const api = endpoints(tag('datatypes'), authentication)
  crudRoutes(
    {
      api,
      path: `${prefix}/datatypes`,
      permission: permission('datatypes'),
      service: space.datatypes,
      recordResponses,
    },
    { create: DatatypeCreate, update: DatatypeUpdate, filters: ['name', 'type', 'parent_id'] },
  )
  return api
}
