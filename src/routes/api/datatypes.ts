import { DatatypeCreate, DatatypeUpdate } from '../../services/content/datatypes.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { SpaceKit } from './kit.js'

/** Kinds of entries (4.7). */
export function datatypeRoutes({ space, prefix, permission, tag, records, authentication }: SpaceKit) {
  const api = endpoints(tag('datatypes'), authentication)
  crudRoutes(
    {
      api,
      path: `${prefix}/datatypes`,
      permission: permission('datatypes'),
      service: space.datatypes,
      records,
    },
    { create: DatatypeCreate, update: DatatypeUpdate, filters: ['name', 'type', 'parent_id'] },
  )
  return api
}
