import { FieldTypeCreate, FieldTypeUpdate } from '../../services/content/field-types.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { SpaceContext } from './context.js'

/** The kinds of fields. */
export function fieldTypeRoutes({
  space,
  prefix,
  permission,
  tag,
  recordResponses,
  authentication,
}: SpaceContext) {
  const api = endpoints(tag('field types'), authentication)
  crudRoutes(
    {
      api,
      path: `${prefix}/field-types`,
      permission: permission('field_types'),
      service: space.fieldTypes,
      recordResponses,
    },
    { create: FieldTypeCreate, update: FieldTypeUpdate },
  )
  return api
}
