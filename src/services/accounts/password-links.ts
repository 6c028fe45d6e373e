import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { invalid } from '../../errors.js'
import { timestamp } from '../../ids.js'
import type { Ports } from '../../ports.js'
import { reference } from '../body-parts.js'
import { passwordLinkMail } from '../mail-texts.js'
import type { Background } from '../operation/jobs.js'
import { randomSecret } from '../secrets.js'
import { originOf } from '../site-origin.js'
import type { AccessService } from './access.js'
import { isReachable } from './account-fields.js'
import { endResetTokens, linkTokenType } from './credentials.js'
import { refuseBeyondOwnRights } from './own-rights.js'
import { mailServerOf } from './reset-mails.js'

/** Invited people read their mail when they do; whoever has a password asks for a link and waits for it. */
const [invitationMs, linkMs] = [7 * 86_400_000, 3_600_000]

export const PasswordLink = z.object({ user_id: reference })
export type PasswordLinkMade = z.output<typeof PasswordLinkMade>
export const PasswordLinkMade = z
  .object({
    user_id: z.string(),
    link: z.string().meta({
      description:
        'Whoever opens it sets the password of the account, once. A path if the configuration has no address of the site.',
    }),
    expires_at: z.iso.datetime(),
    mailed: z.boolean().meta({ description: 'Whether the link is also sent to the address of the account.' }),
  })
  .meta({ id: 'PasswordLink' })

interface Needs extends Pick<Ports, 'clock' | 'random' | 'hashing' | 'mail'> {
  readonly config: () => Config
  readonly jobs: Background
  readonly access: AccessService
}

/** Links with which somebody sets the password of an account that another has made for them. */
export function passwordLinks(db: Database, { clock, random, hashing, mail, config, jobs, access }: Needs) {
  const addressWith = (token: string): string => {
    const at = config().password_reset_url ?? `${originOf(config())}/admin/new-password`
    return `${at}${at.includes('?') ? '&' : '?'}token=${encodeURIComponent(token)}`
  }

  /** Mails the link, if there is where to. A path alone leads nowhere from a mail. @returns whether it is sent */
  function sent(email: string, link: string, isInvitation: boolean): boolean {
    const server = mailServerOf(config())
    if (!server || !isReachable(email) || link.startsWith('/')) return false
    jobs.later('a mail with a link for a password', () =>
      mail.send(server, passwordLinkMail(email, link, isInvitation)),
    )
    return true
  }

  return {
    /**
     * Makes a link that sets the password of somebody else's account once: within seven days while it has no password, which
     * is an invitation, and within an hour otherwise. Earlier links and reset mails of the account end.
     * @throws 400 for the caller's own account; 403 for one that may do more than the caller; 404
     */
    async create(
      actor: Actor,
      { user_id }: z.output<typeof PasswordLink>,
    ): Promise<z.output<typeof PasswordLinkMade>> {
      // Somebody at an unlocked screen would otherwise change the password without the current one.
      if (actor.userId === user_id)
        throw invalid('user_id', 'change your own password at /auth/reset with the current one')
      const token = randomSecret(random)
      const { email, expires_at, isInvitation } = await db.write(actor, async tx => {
        const user = await tx.lock(tables.users, user_id)
        await refuseBeyondOwnRights(access, actor, { account: user })
        await endResetTokens(tx, user_id)
        const now = clock.now()
        const isInvitation = user.password === null
        const expires_at = timestamp(now + (isInvitation ? invitationMs : linkMs))
        await tx.insert(tables.tokens, {
          user_id,
          token_type: linkTokenType,
          token_hash: hashing.sha256(token),
          issued_at: timestamp(now),
          expires_at,
        })
        return { email: user.email, expires_at, isInvitation }
      })
      const link = addressWith(token)
      return { user_id, link, expires_at, mailed: sent(email, link, isInvitation) }
    },
  }
}
