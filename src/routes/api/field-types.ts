import { FieldTypeCreate, FieldTypeUpdate } from '../../services/content/field-types.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { SpaceKit } from './kit.js'

/** The kinds of fields (2.2). */
export function fieldTypeRoutes({ space, prefix, permission, tag, records, authentication }: SpaceKit) {
  const api = endpoints(tag('field types'), authentication)
  crudRoutes(
    {
      api,
      path: `${prefix}/field-types`,
      permission: permission('field_types'),
      service: space.fieldTypes,
      records,
    },
    { create: FieldTypeCreate, update: FieldTypeUpdate },
  )
  return api
}
