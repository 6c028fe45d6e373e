import { type Actor, type Identity, signedIn } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { forbidden, sessionExpired, wrongCredentials } from '../../errors.js'
import type { Clock, Hashing } from '../../ports.js'
import type { AccessService } from './access.js'
import type { CodeChecks } from './second-factor-codes.js'

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

/** An account without a password shows by a sign-in of this age who it is. */
const recentMs = 600_000

interface Proving {
  readonly hashing: Hashing
  readonly clock: Clock
  readonly codes: CodeChecks
}

/**
 * Called before an account gets another way to sign in: the person at the session shows again who they are.
 * @throws 401 for a wrong password and a wrong code, 403 for an old session of an account without a password, 429 after
 * too many wrong codes
 */
export async function prove(
  db: Database,
  { hashing, clock, codes }: Proving,
  actor: Actor & Identity,
  { current_password = '', code }: { current_password?: string | undefined; code?: string | undefined },
): Promise<void> {
  const { userId, credential } = actor
  const user = await db.get(tables.users, userId)
  if (!user) throw sessionExpired()
  if (user.password !== null) {
    await refuseWrongPassword(hashing, user.password, current_password)
    await codes.demand(actor, userId, code)
    return
  }
  const session = await db.get(tables.sessions, credential.id)
  if (!session || Date.parse(session.created_at) <= clock.now() - recentMs)
    throw forbidden('you signed in more than 10 minutes ago: sign out, sign in again, and repeat this')
}

/** The credentials that `prove` asks the caller for. */
export async function provenBy(
  db: Database,
  codes: CodeChecks,
  { userId }: Identity,
): Promise<{ readonly password: boolean; readonly code: boolean }> {
  const user = await db.get(tables.users, userId)
  const password = user !== undefined && user.password !== null
  return { password, code: password && (await codes.isOn(userId)) }
}
