import { adminPermission, adminPublish } from '../permissions.js'
import type { Access } from '../services/accounts/access.js'
import type { Services } from '../services/index.js'

/** What has a permission of another name in the admin space. */
const resources = new Set(['content', 'routes', 'datatypes', 'fields', 'field_types', 'media'])

/** What guards in the admin space what this word guards in the public one. */
export function adminWord(access: Access): Access {
  const [resource = '', operation = ''] = access.split(':')
  if (!resources.has(resource)) return access
  return operation === 'publish' ? adminPublish : (`${adminPermission(resource)}:${operation}` as Access)
}

/** The services with the admin space in the place of the public one. */
export const inAdminSpace = (services: Services): Services => ({
  ...services,
  space: services.adminSpace,
  media: services.adminMedia,
})
