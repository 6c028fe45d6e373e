import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { protectedRecord } from '../../errors.js'
import { type Crud, crud } from '../crud.js'
import type { AccessService } from './access.js'
import { refuseBeyondOwnRights } from './own-rights.js'

/** `resource:operation`. */
export const permissionLabel = z
  .string()
  .max(255)
  .regex(/^[a-z0-9_]+:[a-z]+$/, 'must look like resource:operation')
  .meta({ examples: ['import:create'] })

export const PermissionCreate = z.object({ label: permissionLabel })
export const PermissionUpdate = z.object({ label: permissionLabel.optional() })

type Permission = RowOf<typeof tables.permissions>

export type PermissionService = Crud<typeof tables.permissions>

/**
 * Permissions. Those of the system can be neither renamed nor deleted. A new name is a new right of every role that has
 * the permission, so only who has that right gives it.
 */
export function permissions(db: Database, access: AccessService): PermissionService {
  const refuse = (actor: Actor, permission: string) => refuseBeyondOwnRights(access, actor, { permission })
  /** Only who has a permission changes it, for roles that have it lose it. */
  const refuseChange = async (actor: Actor, before: Permission, done: 'renamed' | 'deleted') => {
    if (before.system_protected) throw protectedRecord(`a system permission cannot be ${done}`)
    await refuse(actor, before.label)
  }
  const plain = crud(db, tables.permissions)
  return {
    ...plain,
    async create(actor, { label }) {
      await refuse(actor, label)
      return plain.create(actor, { label })
    },
    update: (actor, id, { label }, check) =>
      db.write(actor, async tx => {
        const before = await tx.lock(tables.permissions, id)
        check?.(before)
        if (label === undefined || label === before.label) return before
        await refuseChange(actor, before, 'renamed')
        await refuse(actor, label)
        return (await tx.update(tables.permissions, id, { label })).after
      }),
    remove: (actor, id, check) =>
      db.write(actor, async tx => {
        const before = await tx.lock(tables.permissions, id)
        check?.(before)
        await refuseChange(actor, before, 'deleted')
        await tx.remove(tables.permissions, id)
      }),
  }
}
