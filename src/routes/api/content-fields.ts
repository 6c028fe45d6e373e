import { ContentFieldCreate, ContentFieldUpdate } from '../../services/content/content-fields.js'
import type { SpaceContext } from '../context.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

/** Field values of entries. */
export function contentFieldRoutes(context: SpaceContext) {
  const { space, prefix, permission, tag, recordResponses, authentication } = context
  const api = endpoints(tag('content fields'), authentication)
  crudRoutes(
    {
      api,
      path: `${prefix}/content-fields`,
      permission: permission('content'),
      service: space.contentFields,
      reads: space.records.contentFields,
      recordResponses,
    },
    {
      create: ContentFieldCreate,
      update: ContentFieldUpdate,
      filters: ['content_data_id', 'field_id', 'locale', 'route_id'],
    },
  )
  return api
}
