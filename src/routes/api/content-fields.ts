import { ContentFieldCreate, ContentFieldUpdate } from '../../services/content/content-fields.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { SpaceKit } from './kit.js'

/** Field values of entries (4.6). */
export function contentFieldRoutes({ space, prefix, permission, tag, records, authentication }: SpaceKit) {
  const api = endpoints(tag('content fields'), authentication)
  crudRoutes(
    {
      api,
      path: `${prefix}/content-fields`,
      permission: permission('content'),
      service: space.contentFields,
      records,
    },
    {
      create: ContentFieldCreate,
      update: ContentFieldUpdate,
      filters: ['content_data_id', 'field_id', 'locale', 'route_id'],
    },
  )
  return api
}
