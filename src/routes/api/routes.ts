import { RouteCreate, RouteUpdate } from '../../services/content/routes.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { SpaceKit } from './kit.js'

/** Addresses of pages (4.4). */
export function routeRoutes({ space, prefix, permission, tag, records, authentication }: SpaceKit) {
  const api = endpoints(tag('routes'), authentication)
  crudRoutes(
    { api, path: `${prefix}/routes`, permission: permission('routes'), service: space.routes, records },
    { create: RouteCreate, update: RouteUpdate, filters: ['slug', 'author_id'] },
  )
  return api
}
