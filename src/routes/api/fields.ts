import { FieldCreate, FieldUpdate } from '../../services/fields.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { ApiKit } from './kit.js'

/** The fields of datatypes (4.7). */
export function fieldRoutes({ services, records, authentication }: ApiKit) {
  const api = endpoints('fields', authentication)
  crudRoutes(
    { api, path: '/fields', permission: 'fields', service: services.fields, records },
    { create: FieldCreate, update: FieldUpdate, filters: ['parent_id', 'name', 'field_type'] },
  )
  return api
}
