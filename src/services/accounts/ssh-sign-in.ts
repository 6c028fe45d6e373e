import { type Actor, type Identity, systemActorFor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { timestamp } from '../../ids.js'
import type { Clock, Log } from '../../ports.js'
import type { AuthService } from './auth.js'
import type { liveCallers } from './live-callers.js'

/** A session over SSH; it is listed and ended as those of browsers are. */
export interface SshSession {
  readonly identity: Identity
  readonly keyId: string | undefined
  /** Its secret, which never leaves the process. */
  readonly cookie: string
}

interface Needs {
  readonly auth: AuthService
  readonly liveCallers: ReturnType<typeof liveCallers>
  readonly clock: Clock
  readonly log: Log
}

export type SshSignInService = ReturnType<typeof sshSignIn>

/** Signs users in over SSH, and checks whether they may stay. */
export function sshSignIn(db: Database, { auth, liveCallers, clock, log }: Needs) {
  /** Best effort: a failed write does not refuse the sign-in. */
  const noteUse = (userId: string, id: string) =>
    db
      .write(systemActorFor(userId), tx =>
        tx.setSilently(tables.sshKeys, 'ssh_key_id', [id], { last_used: timestamp(clock.now()) }),
      )
      .catch(error => log.warn({ err: error }, 'the last use of an SSH key could not be stored'))

  return {
    /** By a name without `@` for the username, with one for the e-mail address. @throws 401 as `verifyLogin` */
    async byPassword(name: string, password: string) {
      const named = name.includes('@') ? { email: name } : { username: name }
      return { userId: (await auth.verifyLogin({ ...named, password })).user_id }
    },
    /** Whose key has this fingerprint. That the caller has the key itself is for the surface to make sure of. */
    async byKey(fingerprint: string) {
      const key = await db.find(tables.sshKeys, { fingerprint })
      return key && { id: key.ssh_key_id, userId: key.user_id }
    },
    /** @throws when the user is gone meanwhile */
    async open(actor: Actor, userId: string, keyId?: string) {
      const cookie = await auth.open(actor, userId, undefined)
      const identity = await auth.identify({ cookie, bearer: undefined })
      if (!identity) throw new Error('the session ended immediately')
      if (keyId !== undefined) await noteUse(userId, keyId)
      return { identity, keyId, cookie }
    },
    identify: ({ cookie }: SshSession) => auth.identify({ cookie, bearer: undefined }),
    /** Of sessions those that go on: neither they nor their keys have been removed. Four statements for all of them. */
    async live(sessions: readonly SshSession[]) {
      const callers = await liveCallers(sessions.map(({ identity }) => identity))
      const keyIds = [...new Set(sessions.flatMap(({ keyId }) => keyId ?? []))]
      const keys = new Set(
        (await db.findIn(tables.sshKeys, 'ssh_key_id', keyIds)).map(({ ssh_key_id }) => ssh_key_id),
      )
      return new Set(
        sessions.filter(
          ({ identity, keyId }) => callers.has(identity) && (keyId === undefined || keys.has(keyId)),
        ),
      )
    },
    /** Ends a session; one that is over already counts as ended. */
    close: (actor: Actor, { cookie }: SshSession) => auth.logout(actor, cookie),
  }
}
