import { FieldTypeUpdate } from '../../services/content/field-types.js'
import type { SpaceContext } from '../context.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

/** The types of fields. Each has a record, whose label can be changed. */
export function fieldTypeRoutes(context: SpaceContext) {
  const { space, prefix, permission, tag, recordResponses, authentication } = context
  const api = endpoints(tag('field types'), authentication)
  crudRoutes(
    {
      api,
      path: `${prefix}/field-types`,
      permission: permission('field_types'),
      service: space.fieldTypes,
      recordResponses,
    },
    { update: FieldTypeUpdate },
  )
  return api
}
