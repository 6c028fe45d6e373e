import { type Actor, isSelf, signedIn } from '../../actor.js'
import type { RecordOf } from '../../db/columns.js'
import { withoutSecrets } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { missingPermission } from '../../errors.js'
import { timestamp } from '../../ids.js'
import type { Clock } from '../../ports.js'
import { reads } from '../crud.js'
import type { AccessService } from './access.js'
import { endSessions } from './credentials.js'
import { refuseBeyondOwnRights, removeCredential } from './own-rights.js'

type SessionRecord = RecordOf<typeof tables.sessions>

export type SessionService = ReturnType<typeof sessions>

export function sessions(db: Database, access: AccessService, { clock }: { clock: Clock }) {
  const { get } = reads(db, tables.sessions)

  async function live(where: { user_id?: string } = {}): Promise<SessionRecord[]> {
    const now = timestamp(clock.now())
    const rows = await db.findAll(tables.sessions, where)
    return rows.filter(({ expires_at }) => expires_at > now).map(row => withoutSecrets(tables.sessions, row))
  }

  return {
    get,
    live,
    /** The caller's own sessions that have not expired. @throws 403 for a key whose list has no `sessions:read` */
    async own(actor: Actor) {
      const { userId } = signedIn(actor)
      if (!isSelf(actor, userId) && !(await access.hasPermission(actor, 'sessions:read')))
        throw missingPermission('sessions:read')
      return live({ user_id: userId })
    },
    /** Ends one's own session or, with `sessions:delete`, that of a user with no more rights. @throws 403, 404 */
    end: (actor: Actor, id: string) =>
      removeCredential(db, access, actor, { table: tables.sessions, id, permission: 'sessions:delete' }),
    async endOthers(actor: Actor) {
      const { userId, roleId, credential } = signedIn(actor)
      await refuseBeyondOwnRights(access, actor, { account: { user_id: userId, role: roleId } })
      await db.write(actor, tx => endSessions(tx, userId, credential.id))
    },
  }
}
