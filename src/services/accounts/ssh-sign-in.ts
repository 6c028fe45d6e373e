import { type Actor, type Guest, type Identity, systemActorFor, unlimited } from '../../actor.js'
import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { timestamp } from '../../ids.js'
import type { Clock, Log } from '../../ports.js'
import type { AccessService } from './access.js'
import type { AuthService } from './auth.js'
import type { liveCallers } from './live-callers.js'

/** A session over SSH; it is listed and ended as those of browsers are. That of a guest is stored nowhere. */
export interface SshSession {
  readonly identity: Identity | Guest
  readonly keyId: string | undefined
  /** Its secret, which never leaves the process; empty for a guest. */
  readonly cookie: string
}

interface Needs {
  readonly access: AccessService
  readonly config: () => Config
  readonly auth: AuthService
  readonly liveCallers: ReturnType<typeof liveCallers>
  readonly clock: Clock
  readonly log: Log
}

export type SshSignInService = ReturnType<typeof sshSignIn>

/** Signs users in over SSH, and checks whether they may stay. */
const guestCredential = {
  kind: 'session',
  id: 'guest',
  limits: { ...unlimited, readOnly: true },
} as const

const isUser = (identity: Identity | Guest): identity is Identity => identity.userId !== null

export function sshSignIn(db: Database, { access, config, auth, liveCallers, clock, log }: Needs) {
  /** Best effort: a failed write does not refuse the sign-in. */
  const noteUse = (userId: string, id: string) =>
    db
      .write(systemActorFor(userId), tx =>
        tx.setSilently(tables.sshKeys, 'ssh_key_id', [id], { last_used: timestamp(clock.now()) }),
      )
      .catch(error => log.warn({ err: error }, 'the last use of an SSH key could not be stored'))

  /** Returns the guest of the present settings; undefined if they name no role that exists. */
  async function guest(): Promise<Guest | undefined> {
    const { ssh_guest } = config()
    const roleId = ssh_guest === '' ? undefined : await access.roleLabelled(ssh_guest)
    return roleId === undefined ? undefined : { userId: null, roleId, credential: guestCredential }
  }

  return {
    hasGuests: async () => (await guest()) !== undefined,
    /** @throws if there are no guests any more */
    async openForGuest(): Promise<SshSession> {
      const identity = await guest()
      if (!identity) throw new Error('the settings have no guests')
      return { identity, keyId: undefined, cookie: '' }
    },
    /**
     * By a name without `@` for the username, with one for the e-mail address.
     * @throws 401 and 429 as `verifyLogin`
     */
    async byPassword(actor: Actor, name: string, given: { password: string; code?: string }) {
      const named = name.includes('@') ? { email: name } : { username: name }
      return { userId: (await auth.verifyLogin(actor, { ...named, ...given })).user_id }
    },
    /** Whose key has this fingerprint. That the caller has the key itself is for the surface to make sure of. */
    async byKey(fingerprint: string) {
      const key = await db.find(tables.sshKeys, { fingerprint })
      return key && { id: key.ssh_key_id, userId: key.user_id }
    },
    /** @throws when the user is gone meanwhile */
    async open(actor: Actor, userId: string, keyId?: string): Promise<SshSession> {
      const cookie = await auth.open(actor, userId, undefined)
      const identity = await auth.identify({ cookie, bearer: undefined })
      if (!identity) throw new Error('the session ended immediately')
      if (keyId !== undefined) await noteUse(userId, keyId)
      return { identity, keyId, cookie }
    },
    /**
     * @throws 403 for a user whose role requires a second factor that is missing, which is set up elsewhere; and for one
     * who may read only a part of the content
     */
    async identify({ identity, cookie }: SshSession): Promise<Identity | Guest | undefined> {
      if (!isUser(identity)) return guest()
      const user = await auth.identify({ cookie, bearer: undefined })
      if (user && !(await access.can(user, 'signed-in'))) throw await access.refusal(user, 'signed-in')
      return user
    },
    /** Of sessions those that go on: neither they nor their keys have been removed. Five statements for all of them. */
    async live(sessions: readonly SshSession[]) {
      const callers = await liveCallers(sessions.map(({ identity }) => identity).filter(isUser))
      const hasGuests = sessions.some(({ identity }) => !isUser(identity)) && (await guest()) !== undefined
      const keyIds = [...new Set(sessions.flatMap(({ keyId }) => keyId ?? []))]
      const keys = new Set(
        (await db.findIn(tables.sshKeys, 'ssh_key_id', keyIds)).map(({ ssh_key_id }) => ssh_key_id),
      )
      return new Set(
        sessions.filter(
          ({ identity, keyId }) =>
            (isUser(identity) ? callers.has(identity) : hasGuests) &&
            (keyId === undefined || keys.has(keyId)),
        ),
      )
    },
    /** Ends a session; one that is over already counts as ended. */
    async close(actor: Actor, { identity, cookie }: SshSession) {
      if (isUser(identity)) await auth.logout(actor, cookie)
    },
  }
}
