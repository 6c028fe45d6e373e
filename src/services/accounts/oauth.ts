import { type Actor, systemActor, systemActorFor } from '../../actor.js'
import type { Config } from '../../config.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { expiredStates } from '../../db/queries/accounts.js'
import { keptTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { badRequest, conflict, notConfigured, unavailable } from '../../errors.js'
import { timestamp } from '../../ids.js'
import type { Clock, Hashing, Log, Outgoing, Random } from '../../ports.js'
import { endLease, takeLease } from '../operation/leases.js'
import { secretBox } from '../secret-box.js'
import { randomSecret } from '../secrets.js'
import type { AccessService } from './access.js'
import { email as emailText } from './account-fields.js'
import type { AuthService } from './auth.js'
import { revokeUnprovenCredentials } from './credentials.js'
import type { ProviderIdentity, ProviderTokens } from './oauth-provider.js'
import { freeUsername } from './users.js'

export interface OAuthService {
  /**
   * @param browser what the browser was given before, if anything
   * @returns the provider's address, and what the browser keeps until it comes back
   * @throws 400 while OAuth is not configured
   */
  begin(browser: string | undefined): Promise<{ url: string; browser: string }>
  /**
   * @param old the value of a session cookie that came along
   * @returns the new session cookie's value
   * @throws 400 for a callback that does not belong to this browser, 409 for an account that cannot be linked, 502
   * when the provider does not do its part
   */
  finish(
    actor: Actor,
    callback: URLSearchParams,
    given: { browser: string | undefined; old: string | undefined },
  ): Promise<string>
  /** Renews the user's provider tokens when they are about to end. Whatever goes wrong is only logged. */
  refresh(userId: string): Promise<void>
}

/** How long somebody may take at the provider. */
const stateLifetimeMs = 600_000
/** Sign-ins that are open at once; each is a row. */
const maxOpenSignIns = 10_000
/** Provider tokens are renewed so long before their end. */
const refreshAheadMs = 60_000
/** How long one instance keeps others from renewing the same tokens. */
const refreshLeaseMs = 60_000

const noTokens = { access_token: null, refresh_token: null, token_expires_at: null } as const

type User = RowOf<typeof tables.users>
type Connection = RowOf<typeof tables.oauthConnections>

export function oauth(
  db: Database,
  {
    clock,
    random,
    hashing,
    log,
    outgoing,
    access,
    auth,
    config,
  }: {
    clock: Clock
    random: Random
    hashing: Hashing
    log: Log
    outgoing: Outgoing
    access: AccessService
    auth: AuthService
    config: () => Config
  },
): OAuthService {
  const { oauthStates } = keptTables
  const configured = async () => {
    // Loaded with the first sign-in, for a start does not need it.
    const { providerOf } = await import('./oauth-provider.js')
    return providerOf(config(), outgoing, log)
  }
  const provider = async () => {
    const found = await configured()
    if (!found) throw notConfigured('OAuth is not configured')
    return found
  }
  const invalidState = () => badRequest('invalid state: begin to sign in again', 'state')
  const now = () => timestamp(clock.now())
  const box = () => {
    const { app_secret } = config()
    return app_secret ? secretBox(app_secret) : undefined
  }

  /** The one sign-in that this callback ends. It is gone afterwards, whatever comes of it. */
  async function take(actor: Actor, state: string | null, browser: string | undefined) {
    if (!state || !browser) throw invalidState()
    const found = await db.find(oauthStates, { state_hash: hashing.sha256(state) })
    if (!found || found.browser_hash !== hashing.sha256(browser)) throw invalidState()
    const taken = await db.write(actor, tx => tx.forget(oauthStates, found.oauth_state_id))
    if (!taken || found.expires_at <= now()) throw invalidState()
    return found
  }

  /** Provider tokens as they are stored: sealed, or not at all without an `app_secret`. */
  async function sealed({ accessToken, refreshToken, expiresIn }: ProviderTokens) {
    const secrets = box()
    if (!secrets) return noTokens
    return {
      access_token: await secrets.seal(accessToken),
      refresh_token: refreshToken === undefined ? null : await secrets.seal(refreshToken),
      token_expires_at: expiresIn === undefined ? null : timestamp(clock.now() + expiresIn * 1000),
    }
  }

  /** The account that the identity may be linked to by its e-mail, made ready for that. @throws 409 */
  async function linkable(tx: Writer, provider: string, user: User, { emailVerified }: ProviderIdentity) {
    if (!emailVerified)
      throw conflict(
        'there is an account with this e-mail address, and the provider has not verified that it is yours: sign in with your password',
      )
    const revoked = await revokeUnprovenCredentials(tx, user)
    if (await tx.exists(tables.oauthConnections, { user_id: user.user_id, oauth_provider: provider }))
      throw conflict('the account with this e-mail address belongs to another identity of the provider')
    const { after } = await tx.update(tables.users, user.user_id, {
      email_verified: true,
      ...(revoked ? { password: null } : {}),
    })
    return after
  }

  async function provision(tx: Writer, identity: ProviderIdentity, email: string): Promise<User> {
    return tx.insert(tables.users, {
      username: await freeUsername(tx, email),
      name: identity.name,
      email,
      role: await access.systemRole('viewer'),
      email_verified: identity.emailVerified,
      origin: 'oauth',
    })
  }

  /** The user whose identity this is: (provider, subject), and by e-mail only the first time. */
  async function userOf(actor: Actor, provider: string, identity: ProviderIdentity, tokens: ProviderTokens) {
    const stored = await sealed(tokens)
    const parsed = emailText.safeParse(identity.email ?? '')
    return db.write(actor, async tx => {
      const key = { oauth_provider: provider, oauth_provider_user_id: identity.subject }
      const known = await tx.find(tables.oauthConnections, key)
      if (known) {
        await tx.update(tables.oauthConnections, known.user_oauth_id, stored)
        return tx.lock(tables.users, known.user_id)
      }
      if (!parsed.success) throw conflict('the provider has given no e-mail address for the new account')
      const same = await tx.find(tables.users, { email: parsed.data })
      const user = same
        ? await linkable(tx, provider, await tx.lock(tables.users, same.user_id), identity)
        : await provision(tx, identity, parsed.data)
      await tx.insert(tables.oauthConnections, { ...key, ...stored, user_id: user.user_id })
      return user
    })
  }

  async function renew(actor: Actor, { user_oauth_id, refresh_token }: Connection): Promise<void> {
    const name = `oauth:${user_oauth_id}`
    const holder = randomSecret(random)
    const held = await db.write(actor, async tx => {
      const { token_expires_at } = await tx.lock(tables.oauthConnections, user_oauth_id)
      if (token_expires_at !== null && token_expires_at > timestamp(clock.now() + refreshAheadMs))
        return false
      return takeLease(tx, { name, holder, until: timestamp(clock.now() + refreshLeaseMs) })
    })
    const secrets = box()
    if (!held || !secrets || !refresh_token) return
    const token = await secrets.open(refresh_token)
    if (token === undefined) {
      // Sealed under another `app_secret`. The next sign-in at the provider brings new ones.
      await db.write(actor, async tx => {
        await tx.update(tables.oauthConnections, user_oauth_id, noTokens)
        await endLease(tx, { name, holder })
      })
      log.warn({ user_id: actor.userId }, 'provider tokens could not be opened and are dropped')
      return
    }
    const fresh = await (await provider()).refresh(token)
    const { refresh_token: next, ...stored } = await sealed(fresh)
    await db.write(actor, async tx => {
      // A provider that gives no new one goes on with the old.
      await tx.update(tables.oauthConnections, user_oauth_id, {
        ...stored,
        ...(next ? { refresh_token: next } : {}),
      })
      await endLease(tx, { name, holder })
    })
  }

  return {
    async begin(before) {
      const { authorizationUrl } = await provider()
      const browser = before ?? randomSecret(random)
      const [state, verifier, nonce] = [randomSecret(random), randomSecret(random), randomSecret(random)]
      const old = await db.query(expiredStates, { now: now() })
      if ((await db.count(oauthStates)) - old.length >= maxOpenSignIns)
        throw unavailable('too many sign-ins are open, try again later', 60)
      await db.write(systemActor, async tx => {
        for (const id of old) await tx.forget(oauthStates, id)
        await tx.keep(oauthStates, {
          oauth_state_id: tx.newId(),
          state_hash: hashing.sha256(state),
          browser_hash: hashing.sha256(browser),
          verifier,
          nonce,
          expires_at: timestamp(clock.now() + stateLifetimeMs),
        })
      })
      return { url: await authorizationUrl({ state, verifier, nonce }), browser }
    },
    async finish(actor, callback, { browser, old }) {
      if (callback.has('error')) throw badRequest('the provider did not sign you in')
      if (!callback.get('code')) throw badRequest('Missing code parameter', 'code')
      const { name, exchange } = await provider()
      const state = await take(actor, callback.get('state'), browser)
      const { tokens, identity } = await exchange(callback, state)
      const user = await userOf(actor, name, identity, tokens)
      return auth.open(actor, user.user_id, old)
    },
    async refresh(userId) {
      if (!config().app_secret || !(await configured())) return
      const soon = timestamp(clock.now() + refreshAheadMs)
      for (const connection of await db.findAll(tables.oauthConnections, { user_id: userId }))
        if (connection.refresh_token && connection.token_expires_at && connection.token_expires_at <= soon)
          await renew(systemActorFor(userId), connection).catch(error =>
            log.warn({ err: error, user_id: userId }, 'provider tokens could not be renewed'),
          )
    },
  }
}
