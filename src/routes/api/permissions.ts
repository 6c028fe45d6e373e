import { PermissionCreate, PermissionUpdate } from '../../services/accounts/permissions.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { ApiKit } from './kit.js'

/** Permissions (4.3). */
export function permissionRoutes({ services, records, authentication }: ApiKit) {
  const api = endpoints('permissions', authentication)
  crudRoutes(
    { api, path: '/permissions', permission: 'permissions', service: services.permissions, records },
    { create: PermissionCreate, update: PermissionUpdate },
  )
  return api
}
