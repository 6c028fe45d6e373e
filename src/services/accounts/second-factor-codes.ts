import { type Actor, systemActorFor } from '../../actor.js'
import type { Config } from '../../config.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { conflict, notConfigured, secondFactorRequired, tooMany, wrongCredentials } from '../../errors.js'
import { timestamp } from '../../ids.js'
import { limits } from '../../limits.js'
import type { Ports } from '../../ports.js'
import { type SecretBox, secretBox } from '../secret-box.js'
import { readCode, stepOf } from './one-time-codes.js'

const table = tables.secondFactors
type Factor = RowOf<typeof table>

const sealedPrefix = 'sealed:'
const dayMs = 86_400_000
const ticketMs = 300_000

type Outcome = { readonly isRight: boolean; readonly waitMs?: number }
const [right, wrong]: [Outcome, Outcome] = [{ isRight: true }, { isRight: false }]

interface Needs extends Pick<Ports, 'clock' | 'hashing' | 'log'> {
  readonly config: () => Pick<Config, 'app_secret'>
}

/** A visitor holds this between the password and the code. */
interface Ticket {
  readonly user_id: string
  /** Hash of the stored password: a new password ends the ticket. */
  readonly password: string
  readonly until: number
}

/** Checks codes of second factors. Each is accepted once, at whichever instance. */
export class CodeChecks {
  constructor(
    private readonly db: Database,
    private readonly needs: Needs,
  ) {}

  /** Encrypts the secret of an app. @throws 400 without an `app_secret` */
  async sealed(secret: string): Promise<string> {
    return sealedPrefix + (await this.#box().seal(secret))
  }

  /** The secret of the app; undefined when it was encrypted under another `app_secret`. */
  async secretIn({ secret }: Factor): Promise<string | undefined> {
    const { app_secret } = this.needs.config()
    return app_secret ? secretBox(app_secret).open(secret.slice(sealedPrefix.length)) : undefined
  }

  /** Whether the account has a second factor. */
  async isOn(userId: string): Promise<boolean> {
    return (await this.#confirmed(userId)) !== undefined
  }

  /**
   * Called when the password of an account was right. Without a second factor nothing is asked.
   * @throws 401 `second_factor_required` without a code; else as `check`
   */
  async demand(actor: Actor, userId: string, code: string | undefined): Promise<void> {
    const factor = await this.#confirmed(userId)
    if (!factor) return
    if (!code) throw secondFactorRequired()
    await this.#accept(actor, factor, code)
  }

  /**
   * Accepts a code, and never again.
   * @throws 401 for a wrong or used code; 409 without a second factor; 429 after too many wrong ones
   */
  async check(actor: Actor, userId: string, code: string): Promise<Factor> {
    const factor = await this.#confirmed(userId)
    if (!factor) throw conflict('the account has no second factor')
    await this.#accept(actor, factor, code)
    return factor
  }

  /** A sealed text by which a page asks for the code without keeping the password. */
  async ticketFor({ user_id, password }: { user_id: string; password: string | null }): Promise<string> {
    const { clock, hashing } = this.needs
    const ticket: Ticket = {
      user_id,
      password: hashing.sha256(password ?? ''),
      until: clock.now() + ticketMs,
    }
    return this.#box().seal(JSON.stringify({ ticket }))
  }

  /** Returns the user whose password was right, from a ticket; undefined if the ticket has expired or is invalid. */
  async holderOf(text: string): Promise<string | undefined> {
    const { clock, hashing, config } = this.needs
    const { app_secret } = config()
    const opened = app_secret ? await secretBox(app_secret).open(text) : undefined
    const { ticket } = (opened === undefined ? {} : JSON.parse(opened)) as { ticket?: Ticket }
    if (!ticket || ticket.until <= clock.now()) return undefined
    const user = await this.db.get(tables.users, ticket.user_id)
    return user?.password && hashing.sha256(user.password) === ticket.password ? user.user_id : undefined
  }

  #box(): SecretBox {
    const { app_secret } = this.needs.config()
    if (!app_secret) throw notConfigured('a second factor needs an app_secret')
    return secretBox(app_secret)
  }

  async #confirmed(userId: string): Promise<Factor | undefined> {
    const factor = await this.db.find(table, { user_id: userId })
    return factor && factor.confirmed_at !== null ? factor : undefined
  }

  async #accept(actor: Actor, factor: Factor, typed: string): Promise<void> {
    const given = readCode(typed)
    const outcome =
      given && 'recovery' in given
        ? await this.#useRecoveryCode(actor, factor, given.recovery)
        : await this.#useDigits(factor, given?.digits)
    if (outcome.isRight) return
    this.needs.log.warn(
      { user_id: factor.user_id, ip: actor.ipAddress },
      'a code of a second factor was wrong',
    )
    throw outcome.waitMs === undefined ? wrongCredentials('wrong code', 'code') : tooMany(outcome.waitMs)
  }

  /** Recovery codes are too long to be found by trying, so they work when too many codes were wrong. */
  #useRecoveryCode(actor: Actor, factor: Factor, code: string): Promise<Outcome> {
    const hash = this.needs.hashing.sha256(code)
    return this.db.write({ ...actor, userId: factor.user_id }, async tx => {
      const [row] = await tx.lockAll(table, { second_factor_id: factor.second_factor_id })
      const left = row?.recovery_codes.filter(one => one !== hash) ?? []
      if (!row || left.length === row.recovery_codes.length) return wrong
      const patch = { recovery_codes: left, recovery_codes_left: left.length }
      await tx.update(table, row.second_factor_id, patch)
      return right
    })
  }

  /**
   * Wrong codes are counted for a day from the first, and a right one does not reset the count: who knows the password
   * would go on whenever the owner has signed in.
   */
  async #useDigits(factor: Factor, digits: string | undefined): Promise<Outcome> {
    const now = this.needs.clock.now()
    const secret = await this.secretIn(factor)
    if (secret === undefined)
      this.needs.log.warn(
        { user_id: factor.user_id },
        'the second factor was encrypted with another app_secret: only recovery codes work',
      )
    const step = secret === undefined || digits === undefined ? undefined : await stepOf(secret, digits, now)
    return this.db.write(systemActorFor(factor.user_id), async tx => {
      const [row] = await tx.lockAll(table, { second_factor_id: factor.second_factor_id })
      if (!row) return wrong
      const since = row.wrong_since === null ? Number.NEGATIVE_INFINITY : Date.parse(row.wrong_since)
      const isOld = since <= now - dayMs
      const count = isOld ? 0 : row.wrong_codes
      if (count >= limits.accounts.wrongCodes) return { isRight: false, waitMs: since + dayMs - now }
      const isRight = step !== undefined && step > row.last_step && row.secret === factor.secret
      const counted = {
        wrong_codes: count + 1,
        wrong_since: isOld ? timestamp(now) : row.wrong_since,
      }
      await tx.update(table, row.second_factor_id, isRight ? { last_step: step } : counted)
      return isRight ? right : wrong
    })
  }
}
