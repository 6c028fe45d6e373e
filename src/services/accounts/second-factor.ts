import { z } from 'zod'
import { type Actor, signedIn } from '../../actor.js'
import type { Config } from '../../config.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict, missingPermission, notFound, sessionExpired, wrongCredentials } from '../../errors.js'
import { limits } from '../../limits.js'
import type { Ports } from '../../ports.js'
import { originOf } from '../site-origin.js'
import type { AccessService } from './access.js'
import { endSessions } from './credentials.js'
import { newRecoveryCodes, newSecret, readCode, setUpAddress, stepOf } from './one-time-codes.js'
import { inSession, refusePasswordAlone, refuseWrongPassword } from './own-account.js'
import { refuseBeyondOwnRights } from './own-rights.js'
import type { CodeChecks } from './second-factor-codes.js'

const code = z
  .string()
  .max(64)
  .meta({ description: 'A code of the authenticator app, or a recovery code.', examples: ['287082'] })
const current_password = z
  .string()
  .max(1024)
  .meta({ examples: ['correct horse battery'] })

export const SecondFactorBegin = z.object({ current_password })
export const SecondFactorConfirm = z.object({ code })
export const SecondFactorChange = z.object({ current_password, code })

export const SecondFactorState = z.object({
  enabled: z.boolean(),
  required: z.boolean().meta({ description: 'Whether your role requires a second factor.' }),
  recovery_codes_left: z.int(),
  confirmed_at: z.iso.datetime().nullable(),
})
export const SecondFactorSecret = z.object({
  secret: z.string().meta({ description: 'For authenticator apps, in base32.' }),
  address: z.string().meta({ description: 'The same as an address for a QR code.' }),
})
export const RecoveryCodes = z.object({
  recovery_codes: z.array(z.string()).meta({ description: 'Each works once. They are shown only now.' }),
})

type Change = z.output<typeof SecondFactorChange>
type User = RowOf<typeof tables.users>

const table = tables.secondFactors

interface Needs extends Pick<Ports, 'clock' | 'random' | 'hashing'> {
  readonly access: AccessService
  readonly config: () => Config
  readonly codes: CodeChecks
}

const factorOf = (tx: Writer, userId: string) => tx.find(table, { user_id: userId })

/**
 * The second factor of accounts: a code of an authenticator app beside the password, and recovery codes (D-976). Only a
 * session changes it, and only with the password: neither a key nor a session that somebody left open is the person.
 */
export class SecondFactorService {
  constructor(
    private readonly db: Database,
    private readonly needs: Needs,
  ) {}

  /** The caller's own. */
  async state(actor: Actor): Promise<z.output<typeof SecondFactorState>> {
    const { userId, roleId } = signedIn(actor)
    const row = await this.db.find(table, { user_id: userId })
    return {
      enabled: row !== undefined && row.confirmed_at !== null,
      required: await this.needs.access.requiresFactor(roleId),
      recovery_codes_left: row?.recovery_codes_left ?? 0,
      confirmed_at: row?.confirmed_at ?? null,
    }
  }

  /**
   * Makes a secret for an authenticator app. The factor is off until `confirm`; a second call makes another secret.
   * @throws 400 without an `app_secret`; 401 as `ownAccount`; 403 as `refusePasswordAlone`; 409 if the factor is on, or the
   * account has no password
   */
  async begin(
    actor: Actor,
    { current_password }: z.output<typeof SecondFactorBegin>,
  ): Promise<z.output<typeof SecondFactorSecret>> {
    await refusePasswordAlone(this.db, this.needs.access, actor)
    const user = await this.#ownAccount(actor, current_password)
    const plain = await newSecret(this.needs.random)
    const secret = await this.needs.codes.sealed(plain)
    await this.db.write(actor, async tx => {
      await tx.lock(tables.users, user.user_id)
      const before = await factorOf(tx, user.user_id)
      if (before && before.confirmed_at !== null)
        throw conflict('the second factor is on: turn it off before you set up another')
      if (before) await tx.update(table, before.second_factor_id, { secret })
      else await tx.insert(table, { user_id: user.user_id, secret })
    })
    const site = originOf(this.needs.config())
    const issuer = this.needs.config().site_name || (site === '' ? 'Slugline' : new URL(site).hostname)
    return { secret: plain, address: await setUpAddress(plain, issuer, user.email) }
  }

  /**
   * Turns the factor on by a first code of the app, and ends the other sessions of the account.
   * @returns the recovery codes
   * @throws 401 for a key and a wrong code; 403 as `refusePasswordAlone`; 409 if nothing was begun, or the factor is on
   */
  async confirm(
    actor: Actor,
    { code }: z.output<typeof SecondFactorConfirm>,
  ): Promise<z.output<typeof RecoveryCodes>> {
    const { userId, credential } = inSession(this.db, actor)
    await refusePasswordAlone(this.db, this.needs.access, actor)
    const begun = await this.db.find(table, { user_id: userId })
    if (!begun) throw conflict('begin with a new secret')
    const given = readCode(code)
    const plain = await this.needs.codes.secretIn(begun)
    const step =
      given && 'digits' in given && plain !== undefined
        ? await stepOf(plain, given.digits, this.needs.clock.now())
        : undefined
    if (step === undefined) throw wrongCredentials('wrong code', 'code')
    const { shown, stored } = await this.#freshCodes()
    await this.db.write(actor, async tx => {
      const row = await tx.lock(table, begun.second_factor_id)
      if (row.confirmed_at !== null) throw conflict('the second factor is on')
      if (row.secret !== begun.secret) throw wrongCredentials('wrong code', 'code')
      await tx.update(table, row.second_factor_id, { ...stored, confirmed_at: tx.now, last_step: step })
      await endSessions(tx, userId, credential.id)
    })
    return { recovery_codes: shown }
  }

  /**
   * Replaces the recovery codes.
   * @throws 401 for a key, a wrong password and a wrong code; 409 without a factor; 429 after too many wrong codes
   */
  async renewCodes(
    actor: Actor,
    { current_password, code }: Change,
  ): Promise<z.output<typeof RecoveryCodes>> {
    const user = await this.#ownAccount(actor, current_password)
    const factor = await this.needs.codes.check(actor, user.user_id, code)
    const { shown, stored } = await this.#freshCodes()
    await this.db.write(actor, tx => tx.update(table, factor.second_factor_id, stored))
    return { recovery_codes: shown }
  }

  /** Turns the factor off. @throws as `renewCodes` */
  async turnOff(actor: Actor, { current_password, code }: Change): Promise<void> {
    const user = await this.#ownAccount(actor, current_password)
    const factor = await this.needs.codes.check(actor, user.user_id, code)
    await this.db.write(actor, tx => tx.remove(table, factor.second_factor_id))
  }

  /**
   * Removes the factor and all passkeys of another user, who has lost their device, and ends their sessions.
   * @throws 403 without `users:update`, and for an account that may do more; 404 without either; 409 for one's own
   */
  async reset(actor: Actor, userId: string): Promise<void> {
    if (!(await this.needs.access.hasPermission(actor, 'users:update')))
      throw missingPermission('users:update')
    if (actor.userId === userId)
      throw conflict('turn your own second factor off with your password and a code')
    await this.db.write(actor, async tx => {
      const user = await tx.lock(tables.users, userId)
      await refuseBeyondOwnRights(this.needs.access, actor, { account: user })
      const factor = await factorOf(tx, userId)
      const isOn = factor !== undefined && factor.confirmed_at !== null
      const passkeys = await tx.lockAll(tables.passkeys, { user_id: userId })
      if (!isOn && passkeys.length === 0) throw notFound('the account has no second factor')
      if (isOn) await tx.remove(table, factor.second_factor_id)
      await tx.removeAll(tables.passkeys, passkeys)
      await endSessions(tx, userId)
    })
  }

  /** Returns those of the users who have a second factor or a passkey. */
  async holders(userIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.db.findIn(table, 'user_id', userIds)
    const passkeys = await this.db.findIn(tables.passkeys, 'user_id', userIds)
    const confirmed = rows.filter(one => one.confirmed_at !== null)
    return new Set([...confirmed, ...passkeys].map(one => one.user_id))
  }

  /** @throws 401 for a key and for a wrong password; 409 for an account without a password */
  async #ownAccount(actor: Actor, password: string): Promise<User> {
    const { userId } = inSession(this.db, actor)
    const user = await this.db.get(tables.users, userId)
    if (!user) throw sessionExpired()
    if (user.password === null)
      throw conflict('the account has no password: a second factor protects the sign-in by password only')
    await refuseWrongPassword(this.needs.hashing, user.password, password)
    return user
  }

  async #freshCodes() {
    const { random, hashing } = this.needs
    const shown = await newRecoveryCodes(random, limits.accounts.recoveryCodes)
    const recovery_codes = shown.map(one => hashing.sha256(one.replaceAll('-', '')))
    return { shown, stored: { recovery_codes, recovery_codes_left: recovery_codes.length } }
  }
}
