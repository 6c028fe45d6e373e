import { decode, encode } from 'jose/base64url'
import type { z } from 'zod'
import { type Actor, signedIn, systemActor } from '../../actor.js'
import type { Config } from '../../config.js'
import { type RowOf, withoutSecrets } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { expiredChallenges } from '../../db/queries/accounts.js'
import { internalTables, tables } from '../../db/tables.js'
import {
  conflict,
  notConfigured,
  notFound,
  sessionExpired,
  unavailable,
  wrongCredentials,
} from '../../errors.js'
import { timestamp } from '../../ids.js'
import { limits } from '../../limits.js'
import type { Ports } from '../../ports.js'
import { passkeyOrigins } from '../site-origin.js'
import type { AccessService } from './access.js'
import type { AuthService } from './auth.js'
import { inSession, prove, provenBy, refusePasswordAlone } from './own-account.js'
import type { PasskeyAdd, PasskeyBegin, PasskeyLogin, PasskeyRecord } from './passkey-bodies.js'
import type { CodeChecks } from './second-factor-codes.js'

const table = tables.passkeys
const challenges = internalTables.passkeyChallenges
const lifetimeMs = 300_000
/** Of the credential, in base64url: 1023 bytes (WebAuthn, 4). */
const longestId = 1364
/** Ed25519, ECDSA with P-256 and RSA with SHA-256, which every authenticator has one of. */
const algorithms = [-8, -7, -257]

// A start does not need it.
const webauthn = () => import('@simplewebauthn/server')
const webauthnParts = () => import('@simplewebauthn/server/helpers')

interface Needs extends Pick<Ports, 'clock' | 'random' | 'hashing' | 'log'> {
  readonly access: AccessService
  readonly auth: AuthService
  readonly codes: CodeChecks
  readonly config: () => Config
}

/** A challenge that was answered for the first time and in time. */
interface Asked {
  readonly challenge: string
  readonly host: string
  readonly origins: string[]
}

const expired = () =>
  wrongCredentials('the answer is too late, or was used before: start again', 'credential')
const refused = () => wrongCredentials('the passkey was not accepted', 'credential')

const handleOf = (userId: string) => new TextEncoder().encode(userId)
const hostnameOf = (host: string) => new URL(`https://${host}`).hostname
/**
 * Leaves out who made the authenticator, which was not asked for. The library would check the statement, and load lists
 * of revoked certificates from addresses that a stranger writes into it.
 */
async function withoutStatement(attestationObject: string): Promise<string> {
  const { decodeAttestationObject, isoCBOR } = await webauthnParts()
  const authData = decodeAttestationObject(new Uint8Array(decode(attestationObject))).get('authData')
  return encode(
    isoCBOR.encode(
      new Map<string, string | Uint8Array | Map<string, string>>([
        ['fmt', 'none'],
        ['attStmt', new Map<string, string>()],
        ['authData', authData],
      ]),
    ),
  )
}

const shown = ({
  passkey_id,
  name,
  host,
  last_used,
  date_created,
}: RowOf<typeof table>): z.output<typeof PasskeyRecord> => ({
  ...{ passkey_id, name, host, last_used, date_created },
})

/**
 * Passkeys (WebAuthn): an account adds them in a session, and signs in with one without e-mail address and password. The
 * authenticator verifies the user, so a passkey counts as both factors (D-981).
 */
export class PasskeyService {
  constructor(
    private readonly db: Database,
    private readonly needs: Needs,
  ) {}

  /** Whether browsers can use passkeys at this host, such as `cms.example.com:8443`. */
  isAvailable(host: string): boolean {
    return passkeyOrigins(this.needs.config(), host).length > 0
  }

  /** The caller's own, the oldest first. */
  async list(actor: Actor): Promise<z.output<typeof PasskeyRecord>[]> {
    const { userId } = signedIn(actor)
    return (await this.db.findAll(table, { user_id: userId })).map(shown)
  }

  /** The credentials that `begin` asks the caller for. */
  async asks(actor: Actor): Promise<{ readonly password: boolean; readonly code: boolean }> {
    return provenBy(this.db, this.needs.codes, signedIn(actor))
  }

  /**
   * Begins to add a passkey.
   * @returns the options for `navigator.credentials.create`
   * @throws 400 at a host without passkeys; 401 for a key, a wrong password and a wrong code; 403 as `refusePasswordAlone`,
   * and for an old session of an account without a password; 409 for too many; 429 after too many wrong codes
   */
  async begin(actor: Actor, host: string, given: z.output<typeof PasskeyBegin>) {
    const caller = inSession(this.db, actor)
    const { userId, credential } = caller
    this.#refuseHost(host)
    await refusePasswordAlone(this.db, this.needs.access, caller)
    const user = await this.db.get(tables.users, userId)
    if (!user) throw sessionExpired()
    await prove(this.db, this.needs, caller, given)
    const own = await this.db.findAll(table, { user_id: userId })
    if (own.length >= limits.accounts.passkeys) throw tooManyPasskeys()
    const { generateRegistrationOptions } = await webauthn()
    return generateRegistrationOptions({
      rpName: this.needs.config().site_name || 'Slugline',
      rpID: hostnameOf(host),
      userID: handleOf(userId),
      userName: user.email,
      userDisplayName: user.name || user.username,
      challenge: await this.#newChallenge(host, credential.id),
      timeout: lifetimeMs,
      attestationType: 'none',
      excludeCredentials: own.map(({ credential_id }) => ({ id: credential_id })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: algorithms,
    })
  }

  /**
   * Adds the passkey that a browser has made for `begin`, in the session that began.
   * @throws 401 for an answer that is wrong, late or used; 409 for a known passkey and for too many
   */
  async add(actor: Actor, { name, credential }: z.output<typeof PasskeyAdd>) {
    const caller = inSession(this.db, actor)
    const { userId, credential: session } = caller
    const { clientDataJSON, attestationObject } = credential.response
    const { challenge, host, origins } = await this.#take(clientDataJSON, session.id)
    const { verifyRegistrationResponse } = await webauthn()
    const made = await this.#verified(actor, async () => {
      const response = { clientDataJSON, attestationObject: await withoutStatement(attestationObject) }
      return verifyRegistrationResponse({
        response: { ...keyOf(credential), response },
        expectedChallenge: challenge,
        expectedOrigin: origins,
        expectedRPID: hostnameOf(host),
        supportedAlgorithmIDs: algorithms,
      })
    })
    if (!made.verified || made.registrationInfo.credential.id.length > longestId) throw refused()
    const { id, publicKey, counter } = made.registrationInfo.credential
    const lacksFactor = await this.needs.access.lacksFactor(caller)
    return this.db.write(actor, async tx => {
      await tx.lock(tables.users, userId)
      if ((await tx.count(table, { user_id: userId })) >= limits.accounts.passkeys) throw tooManyPasskeys()
      const row = await tx.insert(table, {
        ...{ user_id: userId, name, host },
        ...{ credential_id: id, credential_hash: this.needs.hashing.sha256(id) },
        ...{ public_key: encode(publicKey), sign_count: counter },
      })
      // The password and the passkey were both shown in this session.
      if (lacksFactor) await tx.update(tables.sessions, session.id, { by_passkey: true })
      return shown(row)
    })
  }

  /** @throws 401 for a key; 404 */
  async rename(actor: Actor, id: string, { name }: { name: string }) {
    const { userId } = inSession(this.db, actor)
    return this.db.write(actor, async tx => {
      const row = await tx.lock(table, id)
      if (row.user_id !== userId) throw notFound()
      return shown((await tx.update(table, id, { name })).after)
    })
  }

  /** Removes one's own. It takes no password, because nobody gains access by it. @throws 401 for a key; 404 */
  async remove(actor: Actor, id: string): Promise<void> {
    const { userId } = inSession(this.db, actor)
    await this.db.write(actor, async tx => {
      const row = await tx.lock(table, id)
      if (row.user_id !== userId) throw notFound()
      await tx.remove(table, id)
    })
  }

  /**
   * Begins a sign-in of somebody whom the passkey will name.
   * @returns the options for `navigator.credentials.get`
   * @throws 400 at a host without passkeys; 503 at an instance that only reads, and for too many open ones
   */
  async beginSignIn(host: string) {
    this.db.refuseIfReadOnly()
    this.#refuseHost(host)
    const { generateAuthenticationOptions } = await webauthn()
    return generateAuthenticationOptions({
      rpID: hostnameOf(host),
      challenge: await this.#newChallenge(host, null),
      timeout: lifetimeMs,
      userVerification: 'required',
    })
  }

  /**
   * Signs in by the answer to `beginSignIn`.
   * @param old the value of a session cookie that came along; its session ends
   * @returns the new cookie's value
   * @throws 401 for an answer that is wrong, late or used; 503 at an instance that only reads
   */
  async signIn(actor: Actor, { credential }: z.output<typeof PasskeyLogin>, old: string | undefined) {
    this.db.refuseIfReadOnly()
    const { userHandle, clientDataJSON, authenticatorData, signature } = credential.response
    const { challenge, host, origins } = await this.#take(clientDataJSON, null)
    const credential_hash = this.needs.hashing.sha256(credential.id)
    const known = await this.db.find(table, { credential_hash })
    if (!known) throw wrongCredentials('this passkey is unknown here: it may have been removed', 'credential')
    if (userHandle !== encode(handleOf(known.user_id))) throw refused()
    const { verifyAuthenticationResponse } = await webauthn()
    const { verified, authenticationInfo } = await this.#verified(actor, () =>
      verifyAuthenticationResponse({
        response: { ...keyOf(credential), response: { clientDataJSON, authenticatorData, signature } },
        expectedChallenge: challenge,
        expectedOrigin: origins,
        expectedRPID: hostnameOf(host),
        credential: {
          id: known.credential_id,
          publicKey: new Uint8Array(decode(known.public_key)),
          counter: known.sign_count,
        },
      }),
    )
    if (!verified) throw refused()
    await this.#noteUse({ ...actor, userId: known.user_id }, known, authenticationInfo.newCounter)
    const user = await this.db.get(tables.users, known.user_id)
    if (!user) throw refused()
    const cookie = await this.needs.auth.open(actor, user.user_id, old, true)
    return { cookie, user: withoutSecrets(tables.users, user) }
  }

  /** Two answers with one count are of two authenticators, one of which is a copy. */
  async #noteUse(actor: Actor, { passkey_id }: RowOf<typeof table>, sign_count: number): Promise<void> {
    const isUsed = await this.db.write(actor, async tx => {
      const [row] = await tx.lockAll(table, { passkey_id })
      if (!row || (row.sign_count > 0 && sign_count <= row.sign_count)) return false
      const last_used = timestamp(this.needs.clock.now())
      await tx.setSilently(table, 'passkey_id', [passkey_id], { sign_count, last_used })
      return true
    })
    if (!isUsed) throw refused()
  }

  #refuseHost(host: string): void {
    if (!this.isAvailable(host))
      throw notConfigured(
        'passkeys need HTTPS and the domain of client_site or admin_site; without either, http://localhost',
      )
  }

  async #newChallenge(host: string, session_id: string | null): Promise<Uint8Array<ArrayBuffer>> {
    const { random, clock, hashing } = this.needs
    const now = clock.now()
    const challenge = new Uint8Array(random.bytes(32))
    const old = await this.db.query(expiredChallenges, { now: timestamp(now) })
    if ((await this.db.count(challenges)) - old.length >= limits.accounts.openPasskeyChallenges)
      throw unavailable('too many sign-ins are open, try again later', 60)
    await this.db.write(systemActor, async tx => {
      await tx.deleteAllInternal(challenges, 'passkey_challenge_id', old)
      await tx.insertInternal(challenges, {
        passkey_challenge_id: tx.newId(),
        challenge_hash: hashing.sha256(encode(challenge)),
        ...{ session_id, host },
        expires_at: timestamp(now + lifetimeMs),
      })
    })
    return challenge
  }

  /** The challenge that an answer is for. It is gone afterwards, whatever comes of it. @throws 401 */
  async #take(clientDataJSON: string, sessionId: string | null): Promise<Asked> {
    const { decodeClientDataJSON } = await webauthnParts()
    const { challenge, crossOrigin } = await this.#verified(undefined, () => {
      // JSON of a stranger: any of it may be missing.
      const given: Partial<ReturnType<typeof decodeClientDataJSON>> | null =
        decodeClientDataJSON(clientDataJSON)
      return { ...given }
    })
    if (typeof challenge !== 'string') throw refused()
    const challenge_hash = this.needs.hashing.sha256(challenge)
    const found = await this.db.find(challenges, { challenge_hash })
    if (!found || found.session_id !== sessionId) throw expired()
    const taken = await this.db.write(systemActor, tx =>
      tx.deleteInternal(challenges, found.passkey_challenge_id),
    )
    if (!taken || found.expires_at <= timestamp(this.needs.clock.now())) throw expired()
    // A page of another site that has this one in a frame.
    if (crossOrigin === true) throw refused()
    return { challenge, host: found.host, origins: passkeyOrigins(this.needs.config(), found.host) }
  }

  /** Runs a check of the library, which throws for a wrong answer. @throws 401 */
  async #verified<T>(actor: Actor | undefined, check: () => T | Promise<T>): Promise<T> {
    try {
      return await check()
    } catch (error) {
      this.needs.log.warn({ err: error, ip: actor?.ipAddress }, 'a passkey was not accepted')
      throw refused()
    }
  }
}

const tooManyPasskeys = () => conflict(`an account has at most ${limits.accounts.passkeys} passkeys`)

const keyOf = ({ id, rawId }: { readonly id: string; readonly rawId: string }) => ({
  ...{ id, rawId, type: 'public-key' as const },
  clientExtensionResults: {},
})
