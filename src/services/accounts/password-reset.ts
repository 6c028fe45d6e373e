import { z } from 'zod'
import { type Actor, signedIn } from '../../actor.js'
import type { Config } from '../../config.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { invalid, sessionExpired, wrongCredentials } from '../../errors.js'
import { timestamp } from '../../ids.js'
import type { Clock, Hashing, Log, Mail, Random } from '../../ports.js'
import type { Background } from '../operation/jobs.js'
import { randomSecret } from '../secrets.js'
import { email, password, refuseOwnName } from './account-fields.js'
import { endResetTokens, endSessions, resetTokenType, revokeUnprovenCredentials } from './credentials.js'

export const ChangePassword = z.object({ current_password: z.string().max(1024), password })
export const RequestReset = z.object({ email })
export const ConfirmReset = z.object({ token: z.string().min(1).max(512), password })

export interface PasswordResetService {
  /** For whoever is signed in by a session. @throws 401 for a key, or when the current password is wrong */
  change(actor: Actor, given: z.output<typeof ChangePassword>): Promise<void>
  /** Returns at once, whoever it is; a mail follows when the user exists and mail is configured. */
  request(actor: Actor, given: z.output<typeof RequestReset>): void
  /** Sets the password by the token of the mail, once. @throws 400 for any token that is not good */
  confirm(actor: Actor, given: z.output<typeof ConfirmReset>): Promise<void>
}

/** A reset token's life. */
const tokenLifetimeMs = 3_600_000
/** A user who has so many live tokens gets no further mail: nobody's mailbox is flooded through us. */
const maxLiveTokens = 5

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

function resetMail(to: string, link: string) {
  const lines = [
    'Somebody asked to set a new password for your account.',
    'If it was you, open this link within an hour:',
  ]
  const end = 'If it was not you, do nothing: your password stays as it is.'
  return {
    to,
    subject: 'Set a new password',
    text: `${lines.join('\n')}\n\n${link}\n\n${end}\n`,
    html: `<p>${lines.join('<br>')}</p><p><a href="${escapeHtml(link)}">Set a new password</a></p><p>${end}</p>`,
  }
}

/** Where mail goes out, when everything that a reset mail takes is configured. */
function mailSettings(config: Config) {
  const { email_enabled, email_host, email_from_address, password_reset_url } = config
  if (!email_enabled || !email_host || !email_from_address || !password_reset_url) return undefined
  return {
    resetUrl: password_reset_url,
    server: {
      host: email_host,
      port: config.email_port,
      username: config.email_username,
      password: config.email_password,
      tls: config.email_tls,
      from: { name: config.email_from_name ?? '', address: email_from_address },
      replyTo: config.email_reply_to,
    },
  }
}

const isLiveAt = ({ token_type, revoked, expires_at }: RowOf<typeof tables.tokens>, now: string): boolean =>
  token_type === resetTokenType && !revoked && expires_at !== null && expires_at > now

export function passwordReset(
  db: Database,
  {
    clock,
    random,
    hashing,
    mail,
    log,
    jobs,
    config,
  }: {
    clock: Clock
    random: Random
    hashing: Hashing
    mail: Mail
    log: Log
    jobs: Background
    config: () => Config
  },
): PasswordResetService {
  const isLive = (token: RowOf<typeof tables.tokens>) => isLiveAt(token, timestamp(clock.now()))

  async function send(actor: Actor, email: string): Promise<void> {
    const settings = mailSettings(config())
    if (!settings) return log.warn({}, 'a password reset was asked for, but mail is not configured')
    const user = await db.find(tables.users, { email })
    if (!user) return
    const token = randomSecret(random)
    const asked = await db.write({ ...actor, userId: user.user_id }, async tx => {
      await tx.lock(tables.users, user.user_id)
      const former = await tx.lockAll(tables.tokens, { user_id: user.user_id, token_type: resetTokenType })
      await tx.removeAll(
        tables.tokens,
        former.filter(row => !isLive(row)),
      )
      if (former.filter(isLive).length >= maxLiveTokens) return false
      const now = clock.now()
      await tx.insert(tables.tokens, {
        user_id: user.user_id,
        token_type: resetTokenType,
        token_hash: hashing.sha256(token),
        issued_at: timestamp(now),
        expires_at: timestamp(now + tokenLifetimeMs),
      })
      return true
    })
    if (!asked) return log.warn({ user_id: user.user_id }, 'too many password resets: no further mail')
    const link = new URL(settings.resetUrl)
    link.searchParams.set('token', token)
    await mail.send(settings.server, resetMail(user.email, link.href))
  }

  return {
    async change(actor, { current_password, password }) {
      // A key is not a person: whoever found one must not lock its owner out.
      const { userId, credential } = signedIn(actor)
      if (credential.kind !== 'session') throw sessionExpired()
      const user = await db.get(tables.users, userId)
      const fits = user?.password && (await hashing.verifyPassword(user.password, current_password))
      if (!user || !fits) throw wrongCredentials('wrong current password')
      refuseOwnName(password, user)
      const hash = await hashing.password(password)
      await db.write(actor, async tx => {
        const { before } = await tx.update(tables.users, user.user_id, { password: hash })
        // Somebody else has set another one meanwhile, which the caller may not know.
        if (before.password !== user.password) throw wrongCredentials('wrong current password')
        await endSessions(tx, user.user_id, credential.id)
        await endResetTokens(tx, user.user_id)
      })
    },
    request: (actor, { email }) => jobs.later('a password reset mail', () => send(actor, email)),
    async confirm(actor, { token, password }) {
      const refused = () => invalid('token', 'is not valid, or has been used or has expired')
      const where = { token_hash: hashing.sha256(token) }
      const known = await db.find(tables.tokens, where)
      if (!known || !isLive(known)) throw refused()
      const owner = await db.get(tables.users, known.user_id)
      if (owner) refuseOwnName(password, owner)
      const hash = await hashing.password(password)
      await db.write({ ...actor, userId: known.user_id }, async tx => {
        const user = await tx.lock(tables.users, known.user_id)
        // Whoever came first has taken it away.
        const still = await tx.find(tables.tokens, where)
        if (!still || !isLive(still)) throw refused()
        await endResetTokens(tx, known.user_id)
        await revokeUnprovenCredentials(tx, user)
        // The mail has arrived, so the address is theirs.
        await tx.update(tables.users, known.user_id, { password: hash, email_verified: true })
        await endSessions(tx, known.user_id)
      })
    },
  }
}
