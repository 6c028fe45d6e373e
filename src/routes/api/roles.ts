import { RoleCreate, RoleUpdate } from '../../services/accounts/roles.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { ApiKit } from './kit.js'

/** Roles (4.3). */
export function roleRoutes({ services, records, authentication }: ApiKit) {
  const api = endpoints('roles', authentication)
  crudRoutes(
    { api, path: '/roles', permission: 'roles', service: services.roles, records },
    { create: RoleCreate, update: RoleUpdate },
  )
  return api
}
