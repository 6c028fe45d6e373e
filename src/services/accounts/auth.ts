import { z } from 'zod'
import type { Actor, Identity } from '../../actor.js'
import { type RecordOf, withoutSecrets } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { HttpError, sessionExpired, wrongCredentials } from '../../errors.js'
import { timestamp } from '../../ids.js'
import type { Ports } from '../../ports.js'
import { randomSecret } from '../secrets.js'
import type { AccessService } from './access.js'
import { normalEmail } from './account-fields.js'
import { Identities, type Presented } from './identities.js'

export const Login = z.object({
  email: z
    .string()
    .max(1024)
    .meta({ examples: ['ada@example.com'] }),
  password: z
    .string()
    .max(1024)
    .meta({ examples: ['correct horse battery'] }),
})

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
  sessionLengthMs: () => number
  used: (userId: string) => void
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
   * Checks a password without opening a session, for surfaces that keep none. Its callers count the tries.
   * @returns the user whom the e-mail address or username names
   * @throws 401 with one sentence, and after the same time, whatever was wrong; 503 at an instance that only reads
   */
  async verifyLogin({
    password,
    ...named
  }: ({ email: string } | { username: string }) & { password: string }): Promise<User> {
    // Before the password is checked: nobody tries passwords where their tries are not counted for all instances.
    this.db.refuseIfReadOnly()
    const where = 'email' in named ? { email: normalEmail(named.email) } : { username: named.username }
    const user = await this.db.find(tables.users, where)
    // Unknown users cost the same time as known ones.
    const hash = user?.password ?? (await this.#hashOfNobody())
    const right = await this.needs.hashing.verifyPassword(hash, password)
    if (!user?.password || !right) throw wrongCredentials('wrong e-mail or password')
    return withoutSecrets(tables.users, user)
  }

  /**
   * @param old the value of a session cookie that came along; its session ends
   * @returns the new cookie's value
   * @throws 401 as `verifyLogin`
   */
  async login(actor: Actor, given: z.output<typeof Login>, old: string | undefined) {
    const user = await this.verifyLogin(given)
    return { cookie: await this.open(actor, user.user_id, old), user }
  }

  /** A new session of a user who has shown who they are. @returns the cookie's value */
  async open(actor: Actor, userId: string, old: string | undefined): Promise<string> {
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

  /** Identifies as `identify` does, without waiting; undefined unless the identity is cached and current. */
  identifyCached(given: Presented): Identity | undefined {
    return this.#identities.identifyCached(given)
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
