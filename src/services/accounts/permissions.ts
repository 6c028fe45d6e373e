import { z } from 'zod'
import type { Actor } from '../../actor.js'
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

export type PermissionService = Crud<typeof tables.permissions>

/**
 * Permissions. Those of the system can be neither renamed nor deleted. A new name is a new right of every role that has
 * the permission, so only who has that right gives it.
 */
export function permissions(db: Database, access: AccessService): PermissionService {
  const refuseLabel = async (actor: Actor, label: string | undefined) => {
    if (label !== undefined) await refuseBeyondOwnRights(access, actor, { permission: label })
  }
  const plain = crud(db, tables.permissions)
  const own =
    (what: string, check?: (before: never) => void) =>
    (before: { system_protected: boolean }): void => {
      check?.(before as never)
      if (before.system_protected) throw protectedRecord(`a system permission cannot be ${what}`)
    }
  return {
    ...plain,
    async create(actor, { label }) {
      await refuseLabel(actor, label)
      return plain.create(actor, { label })
    },
    async update(actor, id, { label }, check) {
      await refuseLabel(actor, label)
      return plain.update(actor, id, { label }, own('renamed', check))
    },
    remove: (actor, id, check) => plain.remove(actor, id, own('deleted', check)),
  }
}
