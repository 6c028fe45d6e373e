import { RedirectCreate, RedirectUpdate } from '../../services/content/redirects.js'
import type { ApiContext } from '../context.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

/** Redirects from old addresses; see docs/redirects.md. */
export function redirectRoutes({ services, recordResponses, authentication }: ApiContext) {
  const api = endpoints('redirects', authentication)
  crudRoutes(
    { api, path: '/redirects', permission: 'routes', service: services.redirects, recordResponses },
    { create: RedirectCreate, update: RedirectUpdate, filters: ['slug', 'target', 'route_id'] },
  )
  return api
}
