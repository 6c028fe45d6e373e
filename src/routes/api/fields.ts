import { FieldCreate, FieldUpdate } from '../../services/content/fields.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { SpaceContext } from './context.js'

/** The fields of datatypes. */
export function fieldRoutes({
  space,
  prefix,
  permission,
  tag,
  recordResponses,
  authentication,
}: SpaceContext) {
  const api = endpoints(tag('fields'), authentication)
  crudRoutes(
    {
      api,
      path: `${prefix}/fields`,
      permission: permission('fields'),
      service: space.fields,
      recordResponses,
    },
    { create: FieldCreate, update: FieldUpdate, filters: ['parent_id', 'name', 'field_type'] },
  )
  return api
}
