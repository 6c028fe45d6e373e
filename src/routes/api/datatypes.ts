import { DatatypeCreate, DatatypeUpdate } from '../../services/datatypes.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { ApiKit } from './kit.js'

/** Kinds of entries (4.7). */
export function datatypeRoutes({ services, records, authentication }: ApiKit) {
  const api = endpoints('datatypes', authentication)
  crudRoutes(
    { api, path: '/datatypes', permission: 'datatypes', service: services.datatypes, records },
    { create: DatatypeCreate, update: DatatypeUpdate, filters: ['name', 'type', 'parent_id'] },
  )
  return api
}
