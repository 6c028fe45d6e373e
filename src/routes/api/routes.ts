import { RouteCreate, RouteUpdate } from '../../services/content/routes.js'
import { cascadeRoute } from '../cascade-routes.js'
import type { SpaceContext } from '../context.js'
import { readWriteRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

/** Addresses of pages. */
export function routeRoutes(context: SpaceContext) {
  const { space, prefix, permission, tag, recordResponses, authentication } = context
  const api = endpoints(tag('routes'), authentication)
  readWriteRoutes(
    {
      api,
      path: `${prefix}/routes`,
      permission: permission('routes'),
      service: space.routes,
      reads: space.records.routes,
      recordResponses,
    },
    { create: RouteCreate, update: RouteUpdate, filters: ['slug', 'author_id'] },
  )
  cascadeRoute(api, context, {
    kind: 'routes',
    flag: 'recursive',
    dependents: 'its entries',
    also: ['content'],
  })
  return api
}
