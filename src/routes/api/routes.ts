import { RouteCreate, RouteUpdate } from '../../services/content/routes.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { SpaceContext } from './context.js'

/** Addresses of pages. */
export function routeRoutes({
  space,
  prefix,
  permission,
  tag,
  recordResponses,
  authentication,
}: SpaceContext) {
  const api = endpoints(tag('routes'), authentication)
  crudRoutes(
    {
      api,
      path: `${prefix}/routes`,
      permission: permission('routes'),
      service: space.routes,
      recordResponses,
    },
    { create: RouteCreate, update: RouteUpdate, filters: ['slug', 'author_id'] },
  )
  return api
}
