import { z } from 'zod'
import { type Actor, type Identity, systemActorFor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { type Credential, keyByHash, sessionByHash } from '../../db/queries/accounts.js'
import { tables } from '../../db/tables.js'
import { HttpError, sessionExpired, wrongCredentials } from '../../errors.js'
import { timestamp } from '../../ids.js'
import type { Clock, Hashing, Random } from '../../ports.js'
import { randomSecret } from '../secrets.js'
import type { AccessService } from './access.js'

export const Login = z.object({ email: z.string().max(1024), password: z.string().max(1024) })

interface Profile {
  user_id: string
  email: string
  username: string
  name: string
  role: string
  role_label: string
  created_at: string
}

export interface AuthService {
  /**
   * @param old the value of a session cookie that came along; its session ends
   * @returns the new cookie's value
   * @throws 401 with one sentence whatever was wrong
   */
  login(
    actor: Actor,
    given: z.output<typeof Login>,
    old: string | undefined,
  ): Promise<{ cookie: string; user: RowOf<typeof tables.users> }>
  /** A new session of a user who has shown who they are. @returns the cookie's value */
  open(actor: Actor, userId: string, old: string | undefined): Promise<string>
  logout(actor: Actor, cookie: string | undefined): Promise<void>
  /** Whose session or key this is; undefined when any check of 5.1 fails. The cookie goes before the key. */
  identify(given: { cookie: string | undefined; bearer: string | undefined }): Promise<Identity | undefined>
  /** The same without waiting, when it is in memory and known to be good; otherwise undefined. */
  identifyAtOnce(given: { cookie: string | undefined; bearer: string | undefined }): Identity | undefined
  /** @throws 401 `sessions don't match` when nobody is signed in */
  profile(actor: Actor): Promise<Profile>
}

/** How long a session's or key's last use may be out of date, in milliseconds. */
const useResolution = 60_000
/** Identities kept in memory; each is good until anything about users, sessions or keys changes anywhere. */
const keptIdentities = 10_000
const identifying = new Set<string>([tables.users.name, tables.sessions.name, tables.tokens.name])

type Kind = Identity['credential']['kind']

export const normalEmail = (email: string): string => email.trim().toLowerCase()

export function auth(
  db: Database,
  access: AccessService,
  {
    clock,
    random,
    hashing,
    sessionLength,
    used,
  }: {
    clock: Clock
    random: Random
    hashing: Hashing
    sessionLength: () => number
    /** Called once in a while for the user of a session that is in use. */
    used: (userId: string) => void
  },
): AuthService {
  const known = new Map<string, { foreign: number; credential: Credential }>()
  let changes = 0
  db.onCommit(commit => {
    for (const table of commit.tables) {
      if (!identifying.has(table)) continue
      known.clear()
      changes++
      return
    }
  })

  /** Unknown users cost the same time as known ones. */
  let dummy: Promise<string> | undefined
  const dummyHash = () => {
    dummy ??= hashing.password('no user has this password')
    return dummy
  }

  async function find(kind: Kind, secret: string): Promise<Credential | undefined> {
    const hash = hashing.sha256(secret)
    const name = nameOf(kind, hash)
    const cached = known.get(name)
    const foreign = await db.externalChangesNow()
    if (cached?.foreign === foreign) return cached.credential
    const before = changes
    const [credential] = await db.query(kind === 'session' ? sessionByHash : keyByHash, { hash })
    if (!credential) {
      known.delete(name)
      return undefined
    }
    if (known.size >= keptIdentities) known.clear()
    if (changes === before) known.set(name, { foreign, credential })
    return credential
  }

  // A key sent as a cookie is no session, so the kind is part of the name.
  const nameOf = (kind: Kind, hash: string) => `${kind} ${hash}`

  function identityOf(kind: Kind, credential: Credential | undefined): Identity | undefined {
    if (!credential) return undefined
    const now = clock.now()
    if (credential.expires_at !== null && credential.expires_at <= timestamp(now)) return undefined
    noteUse(kind, credential, now)
    const { id, user_id: userId, role_id: roleId } = credential
    return { userId, roleId, credential: { kind, id } }
  }

  function checkAtOnce(kind: Kind, secret: string): Identity | undefined {
    const cached = known.get(nameOf(kind, hashing.sha256(secret)))
    if (!cached || cached.foreign !== db.externalChangesSync()) return undefined
    return identityOf(kind, cached.credential)
  }

  /** Best effort, off the request's path. */
  function noteUse(kind: Kind, credential: Credential, now: number): void {
    if (credential.last_used !== null && Date.parse(credential.last_used) > now - useResolution) return
    const at = timestamp(now)
    credential.last_used = at
    if (kind === 'session') used(credential.user_id)
    db.write(systemActorFor(credential.user_id), async tx => {
      if (kind === 'session')
        await tx.setSilently(tables.sessions, 'session_id', [credential.id], { last_access: at })
      else await tx.setSilently(tables.tokens, 'token_id', [credential.id], { last_used_at: at })
    }).catch(() => undefined)
  }

  async function endSession(actor: Actor, cookie: string): Promise<void> {
    const session = await db.find(tables.sessions, { token_hash: hashing.sha256(cookie) })
    if (!session) return
    await db
      .write(actor, tx => tx.remove(tables.sessions, session.session_id))
      .catch(error => {
        // Another request has ended it meanwhile, and has left the audit event.
        if (!(error instanceof HttpError && error.status === 404)) throw error
      })
  }

  async function open(actor: Actor, userId: string, old: string | undefined): Promise<string> {
    if (old) await endSession(actor, old)
    const cookie = randomSecret(random)
    const now = clock.now()
    await db.write({ ...actor, userId }, tx =>
      tx.insert(tables.sessions, {
        user_id: userId,
        token_hash: hashing.sha256(cookie),
        ip_address: actor.ipAddress,
        user_agent: actor.userAgent.slice(0, 512),
        last_access: timestamp(now),
        expires_at: timestamp(now + sessionLength()),
      }),
    )
    return cookie
  }

  return {
    async login(actor, { email, password }, old) {
      const user = await db.find(tables.users, { email: normalEmail(email) })
      const fits = await hashing.verifyPassword(user?.password ?? (await dummyHash()), password)
      if (!user?.password || !fits) throw wrongCredentials('wrong e-mail or password')
      return { cookie: await open(actor, user.user_id, old), user }
    },
    open,
    async logout(actor, cookie) {
      if (cookie) await endSession(actor, cookie)
    },
    async identify({ cookie, bearer }) {
      const session = cookie ? identityOf('session', await find('session', cookie)) : undefined
      return session ?? (bearer ? identityOf('key', await find('key', bearer)) : undefined)
    },
    identifyAtOnce({ cookie, bearer }) {
      // A cookie that is not in memory may still be a session, which goes before the key.
      if (cookie) return checkAtOnce('session', cookie)
      return bearer ? checkAtOnce('key', bearer) : undefined
    },
    async profile({ userId }) {
      const user = userId === null ? undefined : await db.get(tables.users, userId)
      if (!user) throw sessionExpired()
      return {
        user_id: user.user_id,
        email: user.email,
        username: user.username,
        name: user.name,
        role: user.role,
        role_label: (await access.labelOf(user.role)) ?? '',
        created_at: user.date_created,
      }
    },
  }
}
