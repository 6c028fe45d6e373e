import { RouteCreate, RouteUpdate } from '../../services/routes.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { ApiKit } from './kit.js'

/** Addresses of pages (4.4). */
export function routeRoutes({ services, records, authentication }: ApiKit) {
  const api = endpoints('routes', authentication)
  crudRoutes(
    { api, path: '/routes', permission: 'routes', service: services.routes, records },
    { create: RouteCreate, update: RouteUpdate, filters: ['slug', 'author_id'] },
  )
  return api
}
