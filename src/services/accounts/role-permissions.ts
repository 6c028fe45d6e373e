import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { Door } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { missingReference, notFound } from '../../errors.js'
import { reference } from '../body-parts.js'
import { type Check, type Crud, crud } from '../crud.js'
import type { AccessService } from './access.js'
import { refuseBeyondOwnRights } from './own-rights.js'

export const RolePermissionCreate = z.object({ role_id: reference, permission_id: reference })

type Plain = Crud<typeof tables.rolePermissions>

/** Which role has which permission. */
export function rolePermissions(db: Door, access: AccessService) {
  const { create, update: _, remove, ...plain } = crud(db, tables.rolePermissions)
  return {
    ...plain,
    /** @throws 403 for a permission that the caller does not have, and for a role that may do more than theirs */
    async grant(actor: Actor, { role_id, permission_id }: z.output<typeof RolePermissionCreate>) {
      await refuseBeyondOwnRights(access, actor, { role: role_id })
      const permission = await db.get(tables.permissions, permission_id)
      if (permission) await refuseBeyondOwnRights(access, actor, { permission: permission.label })
      return create(actor, { role_id, permission_id })
    },
    async remove(...[actor, id, check]: Parameters<Plain['remove']>) {
      const mapping = await db.get(tables.rolePermissions, id)
      if (!mapping) throw notFound()
      await refuseBeyondOwnRights(access, actor, { role: mapping.role_id })
      await remove(actor, id, check)
    },
    /**
     * Gives a role exactly these permissions.
     * @param check may refuse by the ids of the permissions that the role had before, in order
     * @throws 403 for a permission that the caller lacks, or a role with more rights; 400 for an unknown one; 404
     */
    async replace(
      actor: Actor,
      roleId: string,
      permissionIds: readonly string[],
      check?: Check<readonly string[]>,
    ) {
      await refuseBeyondOwnRights(access, actor, { role: roleId })
      const wanted = [...new Set(permissionIds)]
      await db.write(actor, async tx => {
        await tx.lock(tables.roles, roleId)
        const held = await tx.lockAll(tables.rolePermissions, { role_id: roleId })
        const before = new Set(held.map(({ permission_id }) => permission_id))
        check?.([...before].sort())
        for (const permission_id of wanted.filter(id => !before.has(id))) {
          const permission = await tx.get(tables.permissions, permission_id)
          if (!permission) throw missingReference('permission_id', tables.permissions.name)
          await refuseBeyondOwnRights(access, actor, { permission: permission.label })
          await tx.insert(tables.rolePermissions, { role_id: roleId, permission_id })
        }
        const left = held.filter(({ permission_id }) => !wanted.includes(permission_id))
        await tx.removeAll(tables.rolePermissions, left)
      })
    },
    /** Returns the permissions of one role, with their labels. @throws 404 if the role is missing */
    async ofRole(roleId: string) {
      if (!(await db.get(tables.roles, roleId))) throw notFound()
      const mappings = await db.findAll(tables.rolePermissions, { role_id: roleId })
      const permissions = await db.findIn(
        tables.permissions,
        'permission_id',
        mappings.map(({ permission_id }) => permission_id),
      )
      const labelOf = new Map(permissions.map(({ permission_id, label }) => [permission_id, label]))
      return mappings.map(({ role_permission_id, role_id, permission_id }) => ({
        role_permission_id,
        role_id,
        permission_id,
        label: labelOf.get(permission_id) ?? '',
      }))
    },
  }
}
