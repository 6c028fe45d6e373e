import { z } from 'zod'
import { actorOf } from '../../middleware/context.js'
import { RolePermissionCreate } from '../../services/accounts/role-permissions.js'
import type { ApiContext } from '../context.js'
import { deleteRoute, idOf, idQuery, listRoute } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

const OfRole = z.array(
  z.object({
    role_permission_id: z.string(),
    role_id: z.string(),
    permission_id: z.string(),
    label: z.string(),
  }),
)

/** The permissions of roles. */
export function rolePermissionRoutes({ services, recordResponses, authentication }: ApiContext) {
  const api = endpoints('role permissions', authentication)
  const service = services.rolePermissions
  const resource = { api, path: '/role-permissions', permission: 'roles', service, recordResponses } as const

  listRoute(resource, ['role_id', 'permission_id'])
  api.post(
    resource.path,
    'roles:create',
    {
      summary: 'Add a permission to a role',
      description: 'You can add only permissions that you have.',
      body: RolePermissionCreate,
      answers: { status: 201, shape: { table: service.table } },
    },
    async (c, { body }) => recordResponses.answer(c, await service.grant(actorOf(c), body), 201),
  )
  deleteRoute(resource)
  api.get(
    '/role-permissions/role',
    'roles:read',
    {
      name: 'listPermissionsOfRole',
      summary: 'List the permissions of a role',
      query: idQuery,
      answers: { shape: OfRole },
    },
    async (c, { query }) => c.json(await service.ofRole(idOf(query, undefined, 'role_id'))),
  )
  return api
}
