import { type Actor, systemActorFor } from '../../actor.js'
import type { Config } from '../../config.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { timestamp } from '../../ids.js'
import { limits } from '../../limits.js'
import type { Ports } from '../../ports.js'
import { resetMail } from '../mail-texts.js'
import type { PendingWork } from '../operation/pending-work.js'
import { randomSecret } from '../secrets.js'
import { email as emailText, isReachable } from './account-fields.js'
import { passwordTokenTypes, resetTokenType } from './credentials.js'

const tokenLifetimeMs = 3_600_000
/** A user with this many live tokens gets no further mail, so that nobody can flood a mailbox through us. */
const maxLiveTokens = limits.accounts.resetLinks

/** Where mail goes out; undefined unless that is configured. */
export function mailServerOf(config: Config) {
  const { email_enabled, email_host, email_from_address } = config
  if (!email_enabled || !email_host || !email_from_address) return undefined
  return {
    host: email_host,
    port: config.email_port,
    username: config.email_username,
    password: config.email_password,
    tls: config.email_tls,
    from: { name: config.email_from_name ?? '', address: email_from_address },
    replyTo: config.email_reply_to,
  }
}

/** Where mail goes out, when everything that a reset mail takes is configured. */
export function mailSettings(config: Config) {
  const server = mailServerOf(config)
  const { password_reset_url: resetUrl } = config
  return server && resetUrl ? { resetUrl, server } : undefined
}

/** Whether a token still sets a new password. */
export const isLiveResetToken = (
  { token_type, revoked, expires_at }: RowOf<typeof tables.tokens>,
  now: string,
): boolean => passwordTokenTypes.includes(token_type) && !revoked && expires_at !== null && expires_at > now

export interface ResetMailNeeds extends Pick<Ports, 'clock' | 'random' | 'hashing' | 'mail' | 'log'> {
  readonly pending: PendingWork
  readonly config: () => Config
}

type User = RowOf<typeof tables.users>

/** Sends mails with links that set a new password. @returns sends one to the user with the address, if there is one */
export function resetMails(
  db: Database,
  { clock, random, hashing, mail, log, pending, config }: ResetMailNeeds,
): (actor: Actor, email: string) => Promise<void> {
  async function newToken(actor: Actor, user: User) {
    const now = timestamp(clock.now())
    const token = randomSecret(random)
    const token_id = await db.write(actor, async tx => {
      await tx.lock(tables.users, user.user_id)
      const former = await tx.lockAll(tables.tokens, { user_id: user.user_id, token_type: resetTokenType })
      const over = former.filter(row => !isLiveResetToken(row, now))
      await tx.removeAll(tables.tokens, over)
      if (former.length - over.length >= maxLiveTokens) return undefined
      const row = await tx.insert(tables.tokens, {
        user_id: user.user_id,
        token_type: resetTokenType,
        token_hash: hashing.sha256(token),
        issued_at: now,
        expires_at: timestamp(clock.now() + tokenLifetimeMs),
      })
      return row.token_id
    })
    return token_id && { token, token_id }
  }

  /** The token is gone when the mail could not be sent. @throws what went wrong */
  async function send(actor: Actor, user: User): Promise<void> {
    const settings = mailSettings(config())
    if (!settings) throw new Error('mail is not configured')
    const made = await newToken(actor, user)
    if (!made) return log.warn({ user_id: user.user_id }, 'too many password resets: no mail was sent')
    const link = new URL(settings.resetUrl)
    link.searchParams.set('token', made.token)
    try {
      await mail.send(settings.server, resetMail(user.email, link.href))
    } catch (error) {
      const { token_id } = made
      await db.write(actor, async tx =>
        tx.removeAll(tables.tokens, await tx.lockAll(tables.tokens, { token_id })),
      )
      throw error
    }
  }

  pending.on('password_reset', async userIds => {
    const failed: string[] = []
    for (const userId of userIds) {
      const user = await db.get(tables.users, userId)
      if (user) await send(systemActorFor(userId), user).catch(() => failed.push(userId))
    }
    return failed
  })

  return async (actor, email) => {
    if (!mailSettings(config()))
      return log.warn({}, 'a password reset was requested, but mail is not configured')
    const address = emailText.safeParse(email)
    const isAddress = address.success && isReachable(address.data)
    const user = isAddress ? await db.find(tables.users, { email: address.data }) : undefined
    if (!user) return
    const { user_id } = user
    await send({ ...actor, userId: user_id }, user).catch(async error => {
      log.warn({ err: error, user_id }, 'a password reset mail could not be sent and will be retried')
      await pending.add('password_reset', [user_id])
    })
  }
}
