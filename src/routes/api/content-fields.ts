import { ContentFieldCreate, ContentFieldUpdate } from '../../services/content-fields.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { ApiKit } from './kit.js'

/** Field values of entries (4.6). */
export function contentFieldRoutes({ services, records, authentication }: ApiKit) {
  const api = endpoints('content fields', authentication)
  crudRoutes(
    { api, path: '/content-fields', permission: 'content', service: services.contentFields, records },
    {
      create: ContentFieldCreate,
      update: ContentFieldUpdate,
      filters: ['content_data_id', 'field_id', 'locale', 'route_id'],
    },
  )
  return api
}
