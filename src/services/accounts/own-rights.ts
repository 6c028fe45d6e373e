import type { Actor } from '../../actor.js'
import { forbidden } from '../../errors.js'
import type { AccessService } from './access.js'

/** What a change gives to somebody, or takes from them. */
type Right =
  | { readonly permission: string }
  | { readonly role: string }
  | { readonly account: { readonly user_id: string; readonly role: string } }

/**
 * Nobody gives what they do not have, and nobody changes a role or account that may do more than they. One's own account
 * is always within one's rights.
 * @throws 403
 */
export async function refuseBeyondOwnRights(
  access: Pick<AccessService, 'hasPermission' | 'canManageRole'>,
  actor: Actor,
  right: Right,
): Promise<void> {
  if ('permission' in right) {
    if (!(await access.hasPermission(actor, right.permission)))
      throw forbidden('nobody gives a permission that they do not have')
  } else if ('role' in right) {
    if (!(await access.canManageRole(actor, right.role)))
      throw forbidden('this role may do more than yours: only an administrator changes it')
  } else if (right.account.user_id !== actor.userId) {
    if (!(await access.canManageRole(actor, right.account.role)))
      throw forbidden('this account may do more than yours: only an administrator changes it')
  }
}
