import { PermissionCreate, PermissionUpdate } from '../../services/accounts/permissions.js'
import type { ApiContext } from '../context.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

/** Permissions. */
export function permissionRoutes({ services, recordResponses, authentication }: ApiContext) {
  const api = endpoints('permissions', authentication)
  crudRoutes(
    { api, path: '/permissions', permission: 'permissions', service: services.permissions, recordResponses },
    { create: PermissionCreate, update: PermissionUpdate, filters: ['label'] },
  )
  return api
}
