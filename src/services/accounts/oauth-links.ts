import { z } from 'zod'
import { type Actor, signedIn } from '../../actor.js'
import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { conflict, notFound } from '../../errors.js'
import type { Clock, Hashing } from '../../ports.js'
import type { OAuthService } from './oauth.js'
import { providerSettings } from './oauth-settings.js'
import { inSession, prove, provenBy } from './own-account.js'
import { PasskeyBegin } from './passkey-bodies.js'
import type { CodeChecks } from './second-factor-codes.js'

const table = tables.oauthConnections

export const OAuthLinkBegin = PasskeyBegin.extend({
  provider: z
    .string()
    .max(32)
    .meta({ description: 'The id of the provider.', examples: ['partner'] }),
})

export const OAuthLinkRecord = z.object({
  user_oauth_id: z.string(),
  provider: z.string().nullable().meta({ description: 'Null if it is not configured any more.' }),
  name: z.string(),
  date_created: z.string(),
})

interface Needs {
  readonly oauth: OAuthService
  readonly codes: CodeChecks
  readonly hashing: Hashing
  readonly clock: Clock
  readonly config: () => Config
}

/** The providers that an account signs in with. A session adds and removes them. */
export class OAuthLinks {
  constructor(
    private readonly db: Database,
    private readonly needs: Needs,
  ) {}

  /** The caller's own, the oldest first. */
  async list(actor: Actor): Promise<z.output<typeof OAuthLinkRecord>[]> {
    const { userId } = signedIn(actor)
    const configured = providerSettings(this.needs.config())
    const offered = this.needs.oauth.offered()
    return (await this.db.findAll(table, { user_id: userId })).map(row => {
      const { user_oauth_id, oauth_provider, date_created } = row
      const id = configured.find(({ name }) => name === oauth_provider)?.id ?? null
      const name = offered.find(one => one.id === id)?.name ?? oauth_provider
      return { user_oauth_id, provider: id, name, date_created }
    })
  }

  /** The credentials that `begin` asks the caller for. */
  asks(actor: Actor): Promise<{ readonly password: boolean; readonly code: boolean }> {
    return provenBy(this.db, this.needs.codes, signedIn(actor))
  }

  /**
   * Begins to link a provider to the account of this session.
   * @param before what the browser was given before, if anything
   * @returns as `OAuthService.begin`
   * @throws 400, 404 as there; 401 for a key; 401, 403, 429 as `prove`
   */
  async begin(
    actor: Actor,
    before: string | undefined,
    { provider, ...given }: z.output<typeof OAuthLinkBegin>,
  ): Promise<{ url: string; browser: string }> {
    const caller = inSession(this.db, actor)
    await prove(this.db, this.needs, caller, given)
    return this.needs.oauth.begin(before, provider, caller.credential.id)
  }

  /** @throws 401 for a key; 404; 409 for the only way to sign in */
  async remove(actor: Actor, id: string): Promise<void> {
    const { userId } = inSession(this.db, actor)
    const configured = new Set(providerSettings(this.needs.config()).map(({ name }) => name))
    await this.db.write(actor, async tx => {
      const user = await tx.lock(tables.users, userId)
      const own = await tx.lockAll(table, { user_id: userId })
      if (!own.some(({ user_oauth_id }) => user_oauth_id === id)) throw notFound()
      const isLast = !own.some(one => one.user_oauth_id !== id && configured.has(one.oauth_provider))
      if (isLast && user.password === null && !(await tx.exists(tables.passkeys, { user_id: userId })))
        throw conflict('this is your only way to sign in: add a passkey or set a password first')
      await tx.remove(table, id)
    })
  }
}
