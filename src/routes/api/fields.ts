import { FieldCreate, FieldUpdate } from '../../services/content/fields.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { SpaceKit } from './kit.js'

/** The fields of datatypes (4.7). */
export function fieldRoutes({ space, prefix, permission, tag, records, authentication }: SpaceKit) {
  const api = endpoints(tag('fields'), authentication)
  crudRoutes(
    { api, path: `${prefix}/fields`, permission: permission('fields'), service: space.fields, records },
    { create: FieldCreate, update: FieldUpdate, filters: ['parent_id', 'name', 'field_type'] },
  )
  return api
}
