import { type Actor, systemActor, systemActorFor } from '../../actor.js'
import type { Config } from '../../config.js'
import { defaultProviderId } from '../../config-schemas.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { expiredStates } from '../../db/queries/accounts.js'
import { internalTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { badRequest, conflict, notConfigured, notFound, unavailable } from '../../errors.js'
import { timestamp } from '../../ids.js'
import { limits } from '../../limits.js'
import { onDemand } from '../../on-demand.js'
import type { Ports } from '../../ports.js'
import { endLease, takeLease } from '../operation/leases.js'
import { type SecretBox, secretBox } from '../secret-box.js'
import { randomSecret } from '../secrets.js'
import type { AccessService } from './access.js'
import { email as emailText, isReachable, placeholderEmail } from './account-fields.js'
import type { AuthService } from './auth.js'
import { revokeUnprovenCredentials } from './credentials.js'
import { linkIdentity } from './oauth-identities.js'
import type { Provider, ProviderIdentity, ProviderTokens } from './oauth-provider.js'
import {
  type OfferedProvider,
  offeredProviders,
  type ProviderSettings,
  providerSettings,
} from './oauth-settings.js'
import { dropOtherProviders } from './oauth-source.js'
import { freeUsername } from './users.js'

const stateLifetimeMs = 600_000
const maxOpenSignIns = limits.accounts.openSignIns
const refreshAheadMs = 60_000
const refreshLeaseMs = 60_000

/** Codes of known providers have some hundred characters. */
const maxParameterLength = 4096

const { oauthStates } = internalTables
const noTokens = { access_token: null, refresh_token: null, token_expires_at: null } as const

type User = RowOf<typeof tables.users>
type Connection = RowOf<typeof tables.oauthConnections>

interface Needs extends Pick<Ports, 'clock' | 'random' | 'hashing' | 'log' | 'outgoing'> {
  access: AccessService
  auth: AuthService
  config: () => Config
}

interface Renewing {
  settings: ProviderSettings
  box: SecretBox
}

const invalidState = () => badRequest('invalid state: start the sign-in again', 'state')

/** No provider sends a parameter twice, or one as long as that. */
function refuseOddCallback(callback: URLSearchParams): void {
  for (const [name, value] of callback) {
    if (callback.getAll(name).length > 1) throw badRequest(`${name}: is given twice`, name)
    if (value.length > maxParameterLength)
      throw badRequest(`${name}: must have at most ${maxParameterLength} characters`, name)
  }
}

/** Sign-in at another provider. */
export class OAuthService {
  readonly #providers = onDemand(async () => {
    const { Providers } = await import('./oauth-provider.js')
    return new Providers(this.needs)
  })

  constructor(
    private readonly db: Database,
    private readonly needs: Needs,
  ) {}

  /** The providers that somebody who is not signed in can choose from. */
  offered(): OfferedProvider[] {
    return offeredProviders(this.needs.config())
  }

  /**
   * @param before what the browser was given before, if anything
   * @param id of the provider
   * @param session_id of the session that links the provider to its account; null for a sign-in
   * @returns the provider's address, and what the browser keeps until it comes back
   * @throws 400 while OAuth is not configured, 404 for an unknown provider
   */
  async begin(before: string | undefined, id: string = defaultProviderId, session_id: string | null = null) {
    const { random, hashing } = this.needs
    const provider = await this.#at(this.#settings(id))
    const browser = before ?? randomSecret(random)
    const [state, verifier, nonce] = [randomSecret(random), randomSecret(random), randomSecret(random)]
    const old = await this.db.query(expiredStates, { now: this.#time() })
    if ((await this.db.count(oauthStates)) - old.length >= maxOpenSignIns)
      throw unavailable('too many sign-ins are open, try again later', 60)
    await this.db.write(systemActor, async tx => {
      for (const id of old) await tx.deleteInternal(oauthStates, id)
      await tx.insertInternal(oauthStates, {
        oauth_state_id: tx.newId(),
        state_hash: hashing.sha256(state),
        browser_hash: hashing.sha256(browser),
        verifier,
        nonce,
        expires_at: this.#time(stateLifetimeMs),
        provider: id,
        session_id,
      })
    })
    return { url: await provider.authorizationUrl({ state, verifier, nonce }), browser }
  }

  /**
   * @param id of the provider that the callback address belongs to
   * @param old the value of a session cookie that came along
   * @returns the new session cookie's value, and where the browser goes; `'linked'` where a session has linked the provider
   * @throws 400 for a callback that does not belong to this browser and provider, 404 for an unknown provider, 409 for
   * an account that cannot be linked, 502 when the provider does not do its part
   */
  async finish(
    actor: Actor,
    callback: URLSearchParams,
    {
      id = defaultProviderId,
      browser,
      old,
    }: { id?: string; browser: string | undefined; old: string | undefined },
  ): Promise<{ session: string; redirect: string } | 'linked'> {
    if (callback.has('error')) throw badRequest('the provider did not sign you in')
    if (!callback.get('code')) throw badRequest('Missing code parameter', 'code')
    refuseOddCallback(callback)
    const settings = this.#settings(id)
    const provider = await this.#at(settings)
    const state = await this.#takeState(actor, callback.get('state'), { id, browser })
    const holder = state.session_id === null ? undefined : await this.#holderOf(state.session_id, old)
    const { tokens, identity } = await provider.exchange(callback, state)
    if (holder !== undefined) {
      await this.#link({ ...actor, userId: holder }, provider, identity, tokens)
      return 'linked'
    }
    const user = await this.#userOf(actor, provider, identity, tokens)
    const session = await this.needs.auth.open(actor, user.user_id, old)
    return { session, redirect: settings.successRedirect }
  }

  async refresh(userId: string): Promise<void> {
    const { config, log } = this.needs
    const { app_secret } = config()
    const configured = providerSettings(config())
    if (!app_secret || configured.length === 0) return
    const soon = this.#time(refreshAheadMs)
    for (const connection of await this.db.findAll(tables.oauthConnections, { user_id: userId }))
      if (connection.refresh_token && connection.token_expires_at && connection.token_expires_at <= soon) {
        // No provider gets a token of another.
        const settings = configured.find(({ name }) => name === connection.oauth_provider)
        if (!settings) continue
        const by = { settings, box: secretBox(app_secret) }
        await this.#renew(systemActorFor(userId), connection, by).catch(error =>
          log.warn({ err: error, user_id: userId }, 'provider tokens could not be renewed'),
        )
      }
  }

  #time(laterMs = 0): string {
    return timestamp(this.needs.clock.now() + laterMs)
  }

  async #at(settings: ProviderSettings): Promise<Provider> {
    return (await this.#providers()).of(settings)
  }

  #settings(id: string): ProviderSettings {
    const found = providerSettings(this.needs.config()).find(one => one.id === id)
    if (found) return found
    if (id === defaultProviderId) throw notConfigured('OAuth is not configured')
    throw notFound('there is no such provider')
  }

  /** The one sign-in that this callback ends. It is gone afterwards, whatever comes of it. */
  async #takeState(
    actor: Actor,
    state: string | null,
    { id, browser }: { id: string; browser: string | undefined },
  ) {
    const { hashing } = this.needs
    if (!state || !browser) throw invalidState()
    const found = await this.db.find(oauthStates, { state_hash: hashing.sha256(state) })
    if (!found || found.browser_hash !== hashing.sha256(browser)) throw invalidState()
    // A code of one provider must never be sent to another.
    if ((found.provider ?? defaultProviderId) !== id) throw invalidState()
    const taken = await this.db.write(actor, tx => tx.deleteInternal(oauthStates, found.oauth_state_id))
    if (!taken || found.expires_at <= this.#time()) throw invalidState()
    return found
  }

  /** The user of a session that links a provider, unless it has ended or the browser has another one by now. @throws 400 */
  async #holderOf(sessionId: string, cookie: string | undefined): Promise<string> {
    const session = await this.db.get(tables.sessions, sessionId)
    if (!session || session.expires_at <= this.#time()) throw invalidState()
    // A strict cookie does not come along from another site.
    const isAnother = cookie !== undefined && this.needs.hashing.sha256(cookie) !== session.token_hash
    if (isAnother) throw invalidState()
    return session.user_id
  }

  async #link(
    actor: Actor & { userId: string },
    provider: Provider,
    { subject }: ProviderIdentity,
    tokens: ProviderTokens,
  ): Promise<void> {
    const stored = await this.#stored(tokens)
    const sourceHash = this.needs.hashing.sha256(provider.source)
    await this.db.write(actor, async tx => {
      await dropOtherProviders(tx, provider.name, sourceHash)
      await linkIdentity(tx, actor.userId, { provider: provider.name, subject, stored })
    })
  }

  async #stored(tokens: ProviderTokens) {
    const { app_secret } = this.needs.config()
    return app_secret ? this.#sealed(tokens, secretBox(app_secret)) : noTokens
  }

  /** The user whose identity this is: (provider, subject), and by e-mail only the first time. */
  async #userOf(
    actor: Actor,
    { name: provider, source }: Provider,
    identity: ProviderIdentity,
    tokens: ProviderTokens,
  ) {
    const others = providerSettings(this.needs.config()).flatMap(({ name }) =>
      name === provider ? [] : name,
    )
    const stored = await this.#stored(tokens)
    const sourceHash = this.needs.hashing.sha256(source)
    return this.db.write(actor, async tx => {
      await dropOtherProviders(tx, provider, sourceHash)
      const key = { oauth_provider: provider, oauth_provider_user_id: identity.subject }
      const known = await tx.find(tables.oauthConnections, key)
      if (known) {
        await tx.update(tables.oauthConnections, known.user_oauth_id, stored)
        return tx.lock(tables.users, known.user_id)
      }
      const email = reachableEmail(identity)
      const same = email === undefined ? undefined : await tx.find(tables.users, { email })
      const user = same
        ? await linkable(tx, { provider, others }, await tx.lock(tables.users, same.user_id), identity)
        : await this.#provision(tx, identity, email)
      await tx.insert(tables.oauthConnections, { ...key, ...stored, user_id: user.user_id })
      return user
    })
  }

  async #provision(tx: Writer, identity: ProviderIdentity, given: string | undefined): Promise<User> {
    const email = given ?? placeholderEmail(tx.newId())
    return tx.insert(tables.users, {
      username: await freeUsername(tx, email),
      name: identity.name,
      email,
      role: await this.needs.access.systemRole('viewer'),
      email_verified: given !== undefined && identity.emailVerified,
      origin: 'oauth',
    })
  }

  async #sealed({ accessToken, refreshToken, expiresIn }: ProviderTokens, box: SecretBox) {
    return {
      access_token: await box.seal(accessToken),
      refresh_token: refreshToken === undefined ? null : await box.seal(refreshToken),
      token_expires_at: expiresIn === undefined ? null : this.#time(expiresIn * 1000),
    }
  }

  async #renew(actor: Actor, { user_oauth_id, refresh_token }: Connection, by: Renewing): Promise<void> {
    const lease = { name: `oauth:${user_oauth_id}`, holder: randomSecret(this.needs.random) }
    const held = await this.db.write(actor, async tx => {
      const { token_expires_at } = await tx.lock(tables.oauthConnections, user_oauth_id)
      if (token_expires_at !== null && token_expires_at > this.#time(refreshAheadMs)) return false
      return takeLease(tx, { ...lease, until: this.#time(refreshLeaseMs) })
    })
    if (!held || !refresh_token) return
    const stored = await this.#renewed(actor, refresh_token, by)
    await this.db.write(actor, async tx => {
      await tx.update(tables.oauthConnections, user_oauth_id, stored)
      await endLease(tx, lease)
    })
  }

  async #renewed(actor: Actor, refreshToken: string, { settings, box }: Renewing) {
    const token = await box.open(refreshToken)
    if (token === undefined) {
      // Sealed under another `app_secret`. The next sign-in at the provider brings new ones.
      this.needs.log.warn(
        { user_id: actor.userId },
        'provider tokens could not be decrypted and were deleted',
      )
      return noTokens
    }
    const { refresh_token, ...stored } = await this.#sealed(
      await (await this.#at(settings)).refresh(token),
      box,
    )
    // A provider that gives no new one goes on with the old.
    return refresh_token ? { ...stored, refresh_token } : stored
  }
}

/** Returns the address that the provider gives, if mail can reach it. @throws 409 for an invalid address */
function reachableEmail({ email }: ProviderIdentity): string | undefined {
  if (!email) return undefined
  const parsed = emailText.safeParse(email)
  if (!parsed.success) throw conflict('the provider returned an invalid e-mail address')
  return isReachable(parsed.data) ? parsed.data : undefined
}

/**
 * The account that the identity may be linked to by its e-mail, made ready for that.
 * @param provider its name, and all others of the configuration, whose accounts are never linked
 * @throws 409
 */
async function linkable(
  tx: Writer,
  { provider, others }: { provider: string; others: readonly string[] },
  user: User,
  { emailVerified }: ProviderIdentity,
) {
  if (!emailVerified)
    throw conflict(
      'there is an account with this e-mail address, and the provider has not verified that it is yours: sign in with your password',
    )
  const connections = await tx.lockAll(tables.oauthConnections, { user_id: user.user_id })
  if (connections.some(({ oauth_provider }) => others.includes(oauth_provider)))
    throw conflict('the account with this e-mail address signs in with another provider')
  const revoked = await revokeUnprovenCredentials(tx, user)
  if (await tx.exists(tables.oauthConnections, { user_id: user.user_id, oauth_provider: provider }))
    throw conflict('the account with this e-mail address belongs to another identity of the provider')
  const { after } = await tx.update(tables.users, user.user_id, {
    email_verified: true,
    ...(revoked ? { password: null } : {}),
  })
  return after
}
