import { type Actor, type Identity, limitsOfKey } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { timestamp } from '../../ids.js'
import type { Clock } from '../../ports.js'

/** A caller with the rights that they have now. */
export type LiveCaller = Pick<Actor, 'roleId' | 'credential'>

const idsOf = (identities: readonly Identity[], kind: 'session' | 'key') =>
  identities.flatMap(({ credential }) => (credential.kind === kind ? [credential.id] : []))

/**
 * Of callers whose requests go on those whose session or key is good still, with what they may now. Four statements
 * for all of them.
 */
export const liveCallers =
  (db: Database, clock: Clock) =>
  async (identities: readonly Identity[]): Promise<ReadonlyMap<Identity, LiveCaller>> => {
    const now = timestamp(clock.now())
    const userIds = [...new Set(identities.map(({ userId }) => userId))]
    const users = await db.findIn(tables.users, 'user_id', userIds)
    const roles = new Map(users.map(({ user_id, role }) => [user_id, role]))
    const factors = await db.findIn(tables.secondFactors, 'user_id', userIds)
    const confirmed = new Set(factors.flatMap(one => (one.confirmed_at === null ? [] : [one.user_id])))
    const lacking = new Set(
      users.flatMap(one => (one.password === null || confirmed.has(one.user_id) ? [] : [one.user_id])),
    )
    const sessions = await db.findIn(tables.sessions, 'session_id', idsOf(identities, 'session'))
    const open = new Map(
      sessions.filter(({ expires_at }) => expires_at > now).map(session => [session.session_id, session]),
    )
    const keys = await db.findIn(tables.tokens, 'token_id', idsOf(identities, 'key'))
    const good = new Map(
      keys
        .filter(({ revoked, expires_at }) => !revoked && (expires_at === null || expires_at > now))
        .map(key => [key.token_id, key]),
    )
    return new Map(
      identities.flatMap((identity): [Identity, LiveCaller][] => {
        const roleId = roles.get(identity.userId)
        const { kind, id } = identity.credential
        const key = kind === 'key' ? good.get(id) : undefined
        const session = kind === 'session' ? open.get(id) : undefined
        if (roleId === undefined || !(key ?? session)) return []
        const lacksFactor = session?.by_passkey === false && lacking.has(identity.userId)
        const credential = { kind, id, limits: key && limitsOfKey(key), ...(lacksFactor && { lacksFactor }) }
        return [[identity, { roleId, credential }]]
      }),
    )
  }
