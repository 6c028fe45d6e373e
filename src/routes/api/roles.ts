import { RoleCreate, RoleUpdate } from '../../services/accounts/roles.js'
import type { ApiContext } from '../context.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

/** Roles. */
export function roleRoutes({ services, recordResponses, authentication }: ApiContext) {
  const api = endpoints('roles', authentication)
  crudRoutes(
    { api, path: '/roles', permission: 'roles', service: services.roles, recordResponses },
    { create: RoleCreate, update: RoleUpdate },
  )
  return api
}
