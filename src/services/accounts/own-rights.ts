import { type Actor, hasOwnList, isSelf } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { forbidden, missingPermission, notFound } from '../../errors.js'
import type { AccessService } from './access.js'

type Right =
  | { readonly permission: string }
  | { readonly role: string }
  | { readonly account: Account }
  | { readonly names: Account }

interface Account {
  readonly user_id: string
  readonly role: string
}

/**
 * Nobody gives what they do not have, and nobody changes a role or account that may do more than they: an account may
 * also be one that may no more than a viewer, and names are changed of all but administrators. One's own account is
 * always within one's rights, except by a key that has a list of permissions.
 * @throws 403
 */
export async function refuseBeyondOwnRights(
  access: Pick<
    AccessService,
    'hasPermission' | 'canManageRole' | 'isAdministrator' | 'systemRole' | 'isLimited' | 'isWithinLimits'
  >,
  actor: Actor,
  right: Right,
): Promise<void> {
  if ('permission' in right) {
    if (!(await access.hasPermission(actor, right.permission)))
      throw forbidden('you cannot grant a permission that you do not have')
  } else if ('role' in right) {
    if (await access.isLimited(actor)) throw forbidden('a role or API key with limits cannot change roles')
    if (!(await access.canManageRole(actor, right.role)))
      throw forbidden('this role has more permissions than yours: only an administrator can change it')
  } else if ('names' in right) {
    if (isSelf(actor, right.names.user_id) || (await access.isAdministrator(actor))) return
    if (await access.isAdministrator({ roleId: right.names.role, credential: null }))
      throw forbidden('this is an account of an administrator: only an administrator can change it')
  } else if (!isSelf(actor, right.account.user_id)) {
    const { role } = right.account
    if (!(await access.canManageRole(actor, role)) && !(await isWithinViewers(access, actor, role)))
      throw forbidden('this account has more permissions than yours: only an administrator can change it')
  }
}

/** An account that may no more than a viewer is in reach; not so for a key with a list, which would gain rights by it. */
async function isWithinViewers(
  access: Pick<AccessService, 'canManageRole' | 'systemRole' | 'isWithinLimits'>,
  actor: Actor,
  role: string,
): Promise<boolean> {
  if (hasOwnList(actor) || !(await access.isWithinLimits(actor, role))) return false
  const viewer = { roleId: await access.systemRole('viewer'), credential: null }
  return access.canManageRole(viewer, role)
}

/**
 * Removes a session or an SSH key: one's own or, with the permission, that of a user with no more rights.
 * @throws 403 also for an unknown id, if the caller may not remove those of others: they must not learn which ids
 * exist; 404
 */
export async function removeCredential(
  db: Database,
  access: AccessService,
  actor: Actor,
  of: { table: typeof tables.sessions | typeof tables.sshKeys; id: string; permission: string },
): Promise<void> {
  const all = await access.hasPermission(actor, of.permission)
  const found = await db.get(of.table, of.id)
  if (!all && !isSelf(actor, found?.user_id)) throw missingPermission(of.permission)
  if (!found) throw notFound()
  await db.write(actor, async tx => {
    const owner = await tx.get(tables.users, found.user_id)
    if (owner) await refuseBeyondOwnRights(access, actor, { account: owner })
    await tx.remove(of.table, of.id)
  })
}
