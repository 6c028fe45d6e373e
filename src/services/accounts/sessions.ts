import type { Actor } from '../../actor.js'
import type { RecordOf } from '../../db/columns.js'
import { withoutSecrets } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { forbidden, notFound } from '../../errors.js'
import { timestamp } from '../../ids.js'
import type { Clock } from '../../ports.js'
import { reads } from '../crud.js'
import type { AccessService, Identity } from './access.js'
import { endSessions } from './credentials.js'

type SessionRecord = RecordOf<typeof tables.sessions>

export interface SessionService {
  /** Sessions that have not expired, in the order of their ids, with their devices and addresses (4.2). */
  live(where?: { user_id?: string }): Promise<SessionRecord[]>
  get(id: string): Promise<SessionRecord>
  /** One's own, or with `sessions:delete` anyone's. @throws 403, 404 */
  end(caller: Identity, actor: Actor, id: string): Promise<void>
  /** All of the caller's sessions but the one that calls. */
  endOthers(caller: Identity, actor: Actor): Promise<void>
}

export function sessions(db: Database, access: AccessService, { clock }: { clock: Clock }): SessionService {
  const { get } = reads(db, tables.sessions)
  return {
    get,
    async live(where = {}) {
      const now = timestamp(clock.now())
      const rows = await db.findAll(tables.sessions, where)
      return rows
        .filter(({ expires_at }) => expires_at > now)
        .map(row => withoutSecrets(tables.sessions, row))
    },
    async end(caller, actor, id) {
      const all = await access.holds(caller, 'sessions:delete')
      const session = await db.get(tables.sessions, id)
      // Who may not end the sessions of others does not learn which there are.
      if (!all && session?.user_id !== caller.userId) throw forbidden()
      if (!session) throw notFound()
      await db.write(actor, tx => tx.remove(tables.sessions, id))
    },
    endOthers: (caller, actor) =>
      db.write(actor, tx =>
        endSessions(tx, caller.userId, caller.by === 'session' ? caller.credentialId : undefined),
      ),
  }
}
