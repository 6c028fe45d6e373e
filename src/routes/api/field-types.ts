import { FieldTypeCreate, FieldTypeUpdate } from '../../services/field-types.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { ApiKit } from './kit.js'

/** The kinds of fields (2.2). */
export function fieldTypeRoutes({ services, records, authentication }: ApiKit) {
  const api = endpoints('field types', authentication)
  crudRoutes(
    { api, path: '/field-types', permission: 'field_types', service: services.fieldTypes, records },
    { create: FieldTypeCreate, update: FieldTypeUpdate },
  )
  return api
}
