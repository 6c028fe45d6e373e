import type { RowOf } from '../../db/columns.js'
import { internalTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'

/**
 * Everything by which a user signs in, the password apart, and their preferences: the address of a calendar shows content
 * without a password too.
 */
const credentialTables = [
  ...[tables.sessions, tables.tokens, tables.sshKeys, tables.oauthConnections],
  ...[tables.secondFactors, tables.passkeys],
  tables.userPreferences,
] as const

/** Ends the user's sessions, all or all but one. */
export async function endSessions(tx: Writer, userId: string, except?: string): Promise<void> {
  const sessions = await tx.lockAll(tables.sessions, { user_id: userId })
  await tx.removeAll(
    tables.sessions,
    sessions.filter(({ session_id }) => session_id !== except),
  )
}

/** Tokens of this type set a new password by mail. */
export const resetTokenType = 'password_reset'
/** Tokens of this type set a password by a link that somebody else hands over, so they prove no address. */
export const linkTokenType = 'password_link'
/** The types of tokens that set a password. */
export const passwordTokenTypes: readonly string[] = [resetTokenType, linkTokenType]

/** Links and mails that are on their way open nothing, and none is sent any more, after a change of password or address. */
export async function endResetTokens(tx: Writer, userId: string): Promise<void> {
  const tokens = await tx.lockAll(tables.tokens, { user_id: userId })
  await tx.removeAll(
    tables.tokens,
    tokens.filter(({ token_type }) => passwordTokenTypes.includes(token_type)),
  )
  await tx.deleteAllInternal(internalTables.pendingWork, 'subject', [userId])
}

async function removeCredentials(tx: Writer, userId: string): Promise<void> {
  for (const table of credentialTables)
    await tx.removeAll(table, await tx.lockAll(table, { user_id: userId }))
}

/**
 * Called when somebody proves that the account's address is theirs. Whoever made the account themselves, by registering
 * or at a provider, and never proved it, may be somebody else: then every credential is removed first.
 * @returns whether they were
 */
export async function revokeUnprovenCredentials(
  tx: Writer,
  user: RowOf<typeof tables.users>,
): Promise<boolean> {
  if (user.email_verified || user.origin === 'admin') return false
  await removeCredentials(tx, user.user_id)
  return true
}

/** Deletes a user who was locked in this transaction, with all that signs them in. */
export async function removeAccount(tx: Writer, user: RowOf<typeof tables.users>): Promise<void> {
  await removeCredentials(tx, user.user_id)
  await tx.removeAll(tables.users, [user])
}
