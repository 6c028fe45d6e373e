const all = ['read', 'create', 'update', 'delete', 'admin'] as const

/** The 72 permissions of 5.6, resource by resource. */
const resources = {
  content: [...all, 'publish'],
  datatypes: all,
  fields: all,
  media: all,
  routes: all,
  users: all,
  roles: all,
  permissions: all,
  admin_tree: all,
  field_types: all,
  admin_field_types: all,
  sessions: ['read', 'delete', 'admin'],
  ssh_keys: ['read', 'create', 'delete', 'admin'],
  config: ['read', 'update', 'admin'],
  deploy: ['read', 'create'],
  webhook: ['create', 'read', 'update', 'delete'],
} as const

export const bootstrapPermissions: readonly string[] = Object.entries(resources).flatMap(
  ([resource, operations]) => operations.map(operation => `${resource}:${operation}`),
)

/** Enforced permissions that are in no role at first: administrators have them, other roles once somebody adds them. */
export const unseededPermissions: readonly string[] = [
  ...['tokens', 'import'].flatMap(resource => all.slice(0, 4).map(operation => `${resource}:${operation}`)),
  'audit:read',
  'metrics:read',
]

/** The part of the permissions of the admin space that guards a resource there. */
export const adminPermission = (resource: string): 'admin_tree' | 'admin_field_types' =>
  resource === 'field_types' ? 'admin_field_types' : 'admin_tree'

/** The admin space has no permission of its own for publication. */
export const adminPublish = 'admin_tree:update'

const editable = [
  'content',
  'datatypes',
  'fields',
  'media',
  'routes',
  'admin_tree',
  'field_types',
  'admin_field_types',
]

/** The system roles and their permissions. admin also passes by an explicit check of the role. */
export const bootstrapRoles: Readonly<Record<SystemRole, readonly string[]>> = {
  admin: bootstrapPermissions,
  editor: [
    ...editable.flatMap(resource => all.slice(0, 4).map(operation => `${resource}:${operation}`)),
    ...['users', 'sessions', 'ssh_keys', 'config'].map(resource => `${resource}:read`),
  ],
  viewer: ['content', 'media', 'routes', 'field_types', 'admin_field_types'].map(
    resource => `${resource}:read`,
  ),
}

export type SystemRole = 'admin' | 'editor' | 'viewer'
