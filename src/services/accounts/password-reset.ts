import { z } from 'zod'
import { type Actor, signedIn } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { invalid, notFound, sessionExpired, wrongCredentials } from '../../errors.js'
import { timestamp } from '../../ids.js'
import type { Hashing } from '../../ports.js'
import type { Background } from '../operation/jobs.js'
import type { AccessService } from './access.js'
import { password } from './account-fields.js'
import { endResetTokens, endSessions, resetTokenType, revokeUnprovenCredentials } from './credentials.js'
import { passwordProblem, refuseGuessable } from './guessable-passwords.js'
import { refuseBeyondOwnRights } from './own-rights.js'
import { isLiveResetToken, type ResetMailNeeds, resetMails } from './reset-mails.js'

export const ChangePassword = z.object({ current_password: z.string().max(1024), password })
/** Any e-mail gets the same response, so that no address is refused. */
export const RequestReset = z.object({ email: z.string().catch('') })
export const ConfirmReset = z.object({ token: z.string().min(1).max(512), password })

const passwordSetting =
  (db: Database, hashing: Hashing, access: AccessService) =>
  async (actor: Actor, userId: string, password: string): Promise<void> => {
    const user = await db.get(tables.users, userId)
    if (!user) throw notFound()
    await refuseBeyondOwnRights(access, actor, { account: user })
    const problem = await passwordProblem(password, user)
    if (problem) throw invalid('password', problem)
    const hash = await hashing.password(password)
    await db.write(actor, async tx => {
      // The account may have another role by now.
      await refuseBeyondOwnRights(access, actor, { account: await tx.lock(tables.users, userId) })
      await tx.update(tables.users, userId, { password: hash })
      await endSessions(tx, userId)
      await endResetTokens(tx, userId)
    })
  }

export function passwordReset(
  db: Database,
  needs: ResetMailNeeds & { jobs: Background; access: AccessService },
) {
  const { hashing, jobs, access } = needs
  const sendTo = resetMails(db, needs)
  const isLive = (token: RowOf<typeof tables.tokens>) => isLiveResetToken(token, timestamp(needs.clock.now()))

  return {
    /** Changes the password of a caller with a session. @throws 401 for a key, or when the current password is wrong */
    async change(actor: Actor, { current_password, password }: z.output<typeof ChangePassword>) {
      // A key is not a person: whoever found one must not lock its owner out.
      const { userId, credential } = signedIn(actor)
      if (credential.kind !== 'session') throw sessionExpired()
      const user = await db.get(tables.users, userId)
      const fits = user?.password && (await hashing.verifyPassword(user.password, current_password))
      if (!user || !fits) throw wrongCredentials('wrong current password')
      await refuseGuessable(password, user)
      const hash = await hashing.password(password)
      await db.write(actor, async tx => {
        const { before } = await tx.update(tables.users, user.user_id, { password: hash })
        // Somebody else has set another one meanwhile, which the caller may not know.
        if (before.password !== user.password) throw wrongCredentials('wrong current password')
        await endSessions(tx, user.user_id, credential.id)
        await endResetTokens(tx, user.user_id)
      })
    },
    /** Without the old one. @throws 400 for a password that the rules refuse; 403 for an account that may do more; 404 */
    set: passwordSetting(db, hashing, access),
    /** Returns at once for any e-mail. A mail follows if the user exists and mail is configured, retried for hours. */
    request(actor: Actor, { email }: z.output<typeof RequestReset>) {
      db.refuseChanges(actor)
      jobs.later('a password reset mail', () => sendTo(actor, email))
    },
    /** Sets the password by the token of the mail or the link, once. @throws 400 for any token that is not good */
    async confirm(actor: Actor, { token, password }: z.output<typeof ConfirmReset>) {
      const refused = () => invalid('token', 'is not valid, or has been used or has expired')
      const where = { token_hash: hashing.sha256(token) }
      const known = await db.find(tables.tokens, where)
      if (!known || !isLive(known)) throw refused()
      const owner = await db.get(tables.users, known.user_id)
      if (owner) await refuseGuessable(password, owner)
      const hash = await hashing.password(password)
      await db.write({ ...actor, userId: known.user_id }, async tx => {
        const user = await tx.lock(tables.users, known.user_id)
        // Whoever came first has taken it away.
        const still = await tx.find(tables.tokens, where)
        if (!still || !isLive(still)) throw refused()
        await endResetTokens(tx, known.user_id)
        await revokeUnprovenCredentials(tx, user)
        // A mail that has arrived proves that the address is theirs.
        const isProven = known.token_type === resetTokenType
        await tx.update(tables.users, known.user_id, {
          password: hash,
          ...(isProven ? { email_verified: true } : {}),
        })
        await endSessions(tx, known.user_id)
      })
    },
  }
}
