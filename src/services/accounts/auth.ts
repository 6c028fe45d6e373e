import { z } from 'zod'
import type { Actor, Identity } from '../../actor.js'
import { type RecordOf, type RowOf, withoutSecrets } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { HttpError, secondFactorRequired, sessionExpired, tooMany, wrongCredentials } from '../../errors.js'
import { timestamp } from '../../ids.js'
import type { Ports, RateLimiter } from '../../ports.js'
import { randomSecret } from '../secrets.js'
import type { AccessService } from './access.js'
import { normalEmail } from './account-fields.js'
import { Identities, type Presented } from './identities.js'
import type { CodeChecks } from './second-factor-codes.js'

export const Login = z.object({
  email: z
    .string()
    .max(1024)
    .meta({ examples: ['ada@example.com'] }),
  password: z
    .string()
    .max(1024)
    .meta({ examples: ['correct horse battery'] }),
  code: z
    .string()
    .max(64)
    .optional()
    .meta({
      description: 'Of an account with a second factor: a code of the authenticator app, or a recovery code.',
      examples: ['287082'],
    }),
})
/** The second step of a sign-in that asks for the code on its own. */
export const LoginCode = z.object({ ticket: z.string().max(2048), code: z.string().max(64) })

interface Profile {
  user_id: string
  email: string
  username: string
  name: string
  role: string
  role_label: string
  created_at: string
}

type User = RecordOf<typeof tables.users>

interface Needs extends Pick<Ports, 'clock' | 'random' | 'hashing'> {
  rateLimiter: RateLimiter
  sessionLengthMs: () => number
  used: (userId: string) => void
  codes: CodeChecks
}

/** Identifies users: by a password, a session or a key. */
export class AuthService {
  readonly #identities: Identities
  #dummyHash: Promise<string> | undefined

  constructor(
    private readonly db: Database,
    private readonly access: AccessService,
    private readonly needs: Needs,
  ) {
    this.#identities = new Identities(db, needs)
  }

  /**
   * Checks a password, and the code if the account has a second factor, without opening a session. Its callers count the
   * tries.
   * @returns the user whom the e-mail address or username names
   * @throws 401 with one sentence, and after the same time, whatever was wrong with name and password; after that 401 and
   * 429 about the code; 503 at an instance that only reads
   */
  async verifyLogin(
    actor: Actor,
    {
      code,
      ...given
    }: ({ email: string } | { username: string }) & { password: string; code?: string | undefined },
  ): Promise<User> {
    const user = await this.#byPassword(given)
    await this.needs.codes.demand(actor, user.user_id, code)
    return withoutSecrets(tables.users, user)
  }

  /**
   * @param old the value of a session cookie that came along; its session ends
   * @returns the new cookie's value
   * @throws 401, 429 as `verifyLogin`
   */
  async login(actor: Actor, given: z.output<typeof Login>, old: string | undefined) {
    const user = await this.verifyLogin(actor, given)
    return { cookie: await this.open(actor, user.user_id, old), user }
  }

  /**
   * The first step of a sign-in that asks for the code on its own: signs in an account without a second factor.
   * @returns the new cookie's value, or a ticket for `loginWithCode`
   * @throws 401 as `verifyLogin`
   */
  async loginByPassword(
    actor: Actor,
    given: { email: string; password: string },
    old: string | undefined,
  ): Promise<{ cookie: string } | { ticket: string }> {
    const user = await this.#byPassword(given)
    try {
      await this.needs.codes.demand(actor, user.user_id, undefined)
    } catch (error) {
      if (!(error instanceof HttpError && error.code === 'second_factor_required')) throw error
      return { ticket: await this.needs.codes.ticketFor(user) }
    }
    return { cookie: await this.open(actor, user.user_id, old) }
  }

  /** The second step. @returns the new cookie's value. @throws 401 for a wrong code and a ticket that is over; 429 */
  async loginWithCode(
    actor: Actor,
    { ticket, code }: z.output<typeof LoginCode>,
    old: string | undefined,
  ): Promise<string> {
    this.db.refuseIfReadOnly()
    const userId = await this.needs.codes.holderOf(ticket)
    if (userId === undefined) throw wrongCredentials('the sign-in took too long: enter the password again')
    if (code === '') throw secondFactorRequired()
    await this.needs.codes.demand(actor, userId, code)
    return this.open(actor, userId, old)
  }

  /**
   * A new session of a user who has shown who they are.
   * @param by_passkey whether a passkey has shown it, which counts as both factors
   * @returns the cookie's value
   */
  async open(actor: Actor, userId: string, old: string | undefined, by_passkey = false): Promise<string> {
    if (old) await this.#endSession(actor, old)
    const { random, clock, hashing, sessionLengthMs } = this.needs
    const cookie = randomSecret(random)
    const now = clock.now()
    await this.db.write({ ...actor, userId }, tx =>
      tx.insert(tables.sessions, {
        user_id: userId,
        token_hash: hashing.sha256(cookie),
        ip_address: actor.ipAddress,
        user_agent: actor.userAgent.slice(0, 512),
        last_access: timestamp(now),
        expires_at: timestamp(now + sessionLengthMs()),
        by_passkey,
      }),
    )
    return cookie
  }

  async logout(actor: Actor, cookie: string | undefined): Promise<void> {
    if (cookie) await this.#endSession(actor, cookie)
  }

  /** Whose session or key this is; undefined when it is unknown, over or revoked. The cookie goes before the key. */
  identify(given: Presented): Promise<Identity | undefined> {
    return this.#identities.identify(given)
  }

  /**
   * Identifies as `identify` does, without waiting; undefined unless the identity is cached and current, and for a key
   * with a rate limit: its requests are counted first.
   */
  identifyCached(given: Presented): Identity | undefined {
    const identity = this.#identities.identifyCached(given)
    return identity?.credential.limits?.rate ? undefined : identity
  }

  /**
   * Counts a request of a key that has a rate limit, for all instances together. Others cost nothing.
   * @throws 429 for one too many in a minute; 503 where it cannot be counted
   */
  async countRequest({ credential: { id, limits } }: Identity): Promise<void> {
    const most = limits?.rate
    if (!most) return
    // A limit that is changed begins to count anew.
    const wait = await this.needs.rateLimiter.consume(`key ${id} ${most}`, most)
    if (wait !== undefined) throw tooMany(wait)
  }

  /** @throws 401 `sessions don't match` when nobody is signed in */
  async profile({ userId }: Actor): Promise<Profile> {
    const user = userId === null ? undefined : await this.db.get(tables.users, userId)
    if (!user) throw sessionExpired()
    return {
      user_id: user.user_id,
      email: user.email,
      username: user.username,
      name: user.name,
      role: user.role,
      role_label: (await this.access.labelOf(user.role)) ?? '',
      created_at: user.date_created,
    }
  }

  async #byPassword({
    password,
    ...named
  }: ({ email: string } | { username: string }) & { password: string }): Promise<RowOf<typeof tables.users>> {
    // Before the password is checked: nobody tries passwords where their tries are not counted for all instances.
    this.db.refuseIfReadOnly()
    const where = 'email' in named ? { email: normalEmail(named.email) } : { username: named.username }
    const user = await this.db.find(tables.users, where)
    // Unknown users cost the same time as known ones.
    const hash = user?.password ?? (await this.#hashOfNobody())
    const right = await this.needs.hashing.verifyPassword(hash, password)
    if (!user?.password || !right) throw wrongCredentials('wrong e-mail or password')
    return user
  }

  #hashOfNobody(): Promise<string> {
    this.#dummyHash ??= this.needs.hashing.password('no user has this password').catch(error => {
      // The queue for hashes is full. The failure is not kept: a 503 for unknown users alone would reveal who exists.
      this.#dummyHash = undefined
      throw error
    })
    return this.#dummyHash
  }

  async #endSession(actor: Actor, cookie: string): Promise<void> {
    const session = await this.db.find(tables.sessions, { token_hash: this.needs.hashing.sha256(cookie) })
    if (!session) return
    await this.db
      .write(actor, tx => tx.remove(tables.sessions, session.session_id))
      .catch(error => {
        // Another request has ended it meanwhile, and has left the audit event.
        if (!(error instanceof HttpError && error.status === 404)) throw error
      })
  }
}
