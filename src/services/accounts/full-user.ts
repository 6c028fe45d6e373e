import { type Actor, isSelf } from '../../actor.js'
import { withoutSecrets } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { missingPermission } from '../../errors.js'
import type { AccessService } from './access.js'
import type { SecondFactorService } from './second-factor.js'
import type { SessionService } from './sessions.js'
import type { UserService } from './users.js'

export function accounts(
  db: Database,
  access: AccessService,
  {
    users,
    sessions,
    secondFactor,
  }: { users: UserService; sessions: SessionService; secondFactor: SecondFactorService },
) {
  return {
    /**
     * A user with everything that signs them in. One's own is whole; of another user it has the parts that the
     * caller may read by `ssh_keys:read`, `sessions:read` and `tokens:read`, and the second factor by `users:update`.
     * @throws 403 for another user without `users:read`
     */
    async full(actor: Actor, id: string) {
      const own = isSelf(actor, id)
      const may = async (permission: string) => own || (await access.hasPermission(actor, permission))
      if (!(await may('users:read'))) throw missingPermission('users:read')
      const user = await users.get(id)
      const where = { user_id: id }
      const connections = await db.findAll(tables.oauthConnections, where)
      return {
        ...user,
        ...((await may('users:update')) && { second_factor: (await secondFactor.holders([id])).has(id) }),
        oauth_connections: connections.map(row => withoutSecrets(tables.oauthConnections, row)),
        ...((await may('ssh_keys:read')) && { ssh_keys: await db.findAll(tables.sshKeys, where) }),
        ...((await may('sessions:read')) && { sessions: await sessions.live(where) }),
        ...((await may('tokens:read')) && {
          tokens: (await db.findAll(tables.tokens, { ...where, token_type: 'api_key' })).map(row =>
            withoutSecrets(tables.tokens, row),
          ),
        }),
      }
    },
  }
}
