import { type Actor, type Identity, signedIn } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { forbidden, sessionExpired, wrongCredentials } from '../../errors.js'
import type { Hashing } from '../../ports.js'
import type { AccessService } from './access.js'

/** Returns the caller of a change that only a session may make. @throws 401 for a key; 403 without credentials */
export function inSession(db: Database, actor: Actor): Actor & Identity {
  const caller = signedIn(actor)
  if (caller.credential.kind !== 'session') throw sessionExpired()
  db.refuseChanges(actor)
  return caller
}

/** @throws 401 */
export async function refuseWrongPassword(hashing: Hashing, hash: string, password: string): Promise<void> {
  if (!(await hashing.verifyPassword(hash, password)))
    throw wrongCredentials('wrong current password', 'current_password')
}

/**
 * Called before an account gets another second factor. Where a role requires one, a passkey is one: whoever knows only
 * the password must not set up a factor of their own beside it.
 * @throws 403
 */
export async function refusePasswordAlone(
  db: Database,
  access: Pick<AccessService, 'lacksFactor'>,
  actor: Actor,
): Promise<void> {
  if (!(await access.lacksFactor(actor))) return
  if ((await db.count(tables.passkeys, { user_id: signedIn(actor).userId })) > 0)
    throw forbidden('your role requires a second factor: sign in with your passkey')
}
