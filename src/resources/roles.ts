import { RoleCreate, RoleUpdate } from '../services/accounts/roles.js'
import { all } from './entries.js'
import { accessTo, type ResourceParts, resource } from './resource.js'

const maxPermissions = 1000

/** Every permission that a role can have. */
export const allPermissions = ({ services: { permissions } }: ResourceParts) =>
  all(permissions.list({}, { limit: maxPermissions }))

export const publishPermission = 'content:publish'

/** Whether the role is the original one of editors, which cannot publish. */
export const isEditorWithoutPublish = (
  { label, system_protected }: { label: string; system_protected: boolean },
  held: readonly { label: string }[],
): boolean => system_protected && label === 'editor' && !held.some(one => one.label === publishPermission)

/** Whether the role is that of administrators, which has every permission and no limits. */
export const isAdmins = ({
  label,
  system_protected,
}: {
  label: string
  system_protected: boolean
}): boolean => system_protected && label === 'admin'

/** Roles, which are sets of permissions. */
export const roleResource = ({ services: { roles } }: ResourceParts) =>
  resource({
    title: 'Roles',
    one: 'role',
    words: { new: 'New role', add: 'Add a role', delete: 'Delete role' },
    access: accessTo('roles'),
    service: roles,
    key: 'role_id',
    nameOf: ({ label }) => label,
    empty: 'No roles yet.',
    columns: [
      { label: 'Name', of: ({ label }) => label },
      {
        label: 'Kind',
        of: ({ system_protected }) =>
          system_protected ? { state: 'off', word: 'Built in' } : { state: 'live', word: 'Custom' },
      },
    ],
    create: RoleCreate,
    update: RoleUpdate,
    locked: ({ system_protected }) =>
      system_protected ? 'This role is built in: it cannot be renamed or deleted.' : undefined,
    fields: (_record, { t }) => [{ name: 'label', label: t('Name'), required: true }],
  })
