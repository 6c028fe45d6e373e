import { type Actor, hasOwnList, partOf } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { forbidden, invalid, missingReference } from '../../errors.js'
import { timestamp } from '../../ids.js'
import { meantHint } from '../../nearest-name.js'
import { bootstrapPermissions, unseededPermissions } from '../../permissions.js'
import type { Clock } from '../../ports.js'
import { isWithin } from '../../role-limits.js'
import type { AccessService } from './access.js'
import { refuseBeyondOwnRights } from './own-rights.js'

type Key = Pick<RowOf<typeof tables.tokens>, 'user_id' | 'permissions' | 'limits'>

const enforced = [...bootstrapPermissions, ...unseededPermissions]

/** Checks of the rights of an API key: nobody can give a key more than they have themselves. */
export function keyRights(db: Database, access: AccessService, clock: Clock) {
  return {
    /** @throws 403 for a key with more rights than the caller, before a change or after it */
    async refuseMore(actor: Actor, { user_id, permissions, limits }: Key): Promise<void> {
      const isOwn = user_id === actor.userId
      const part = partOf(actor)
      if (isOwn && part && !isWithin(limits, part))
        throw forbidden(
          'an API key with limits cannot create or change a key that may change more of the site',
        )
      if (isOwn && !hasOwnList(actor)) return
      if (isOwn && permissions)
        for (const permission of permissions) await refuseBeyondOwnRights(access, actor, { permission })
      else {
        const owner = await db.get(tables.users, user_id)
        if (owner) await refuseBeyondOwnRights(access, actor, { account: owner })
      }
    },

    /** @throws 403 for permissions that the caller does not have; 400 for those that the key's user does not have */
    async refusePermissions(actor: Actor, user_id: string, labels: readonly string[]): Promise<void> {
      if (labels.length === 0) return
      const made = await db.findIn(tables.permissions, 'label', labels)
      const known = new Set([...enforced, ...made.map(({ label }) => label)])
      const owner = await db.get(tables.users, user_id)
      if (!owner) throw missingReference('user_id', tables.users.name)
      for (const permission of labels) {
        if (!known.has(permission))
          throw invalid('permissions', `there is no permission ${permission}${meantHint(permission, known)}`)
        await refuseBeyondOwnRights(access, actor, { permission })
        if (!(await access.hasPermission({ roleId: owner.role, credential: null }, permission)))
          throw invalid('permissions', `the user of the key does not have ${permission}`)
      }
    },

    /** @throws 400 for an end that is past; 403 for one after that of the key that calls */
    refuseEnd({ credential }: Actor, end: string | null): void {
      if (end !== null && end <= timestamp(clock.now())) throw invalid('expires_at', 'must be in the future')
      const own = credential?.limits?.expiresAt ?? null
      if (own !== null && (end === null || end > own))
        throw forbidden('an API key cannot create a key that expires later than itself')
    },

    /** @throws 403 for a key that has a rate limit: with a second key it could make more requests */
    refuseSecond({ credential }: Actor): void {
      if (credential?.limits?.rate) throw forbidden('an API key with a rate limit cannot create keys')
    },

    /** @throws 403 for a change to more requests than the key that calls may make */
    refuseRate({ credential }: Actor, before: number | null, after: number | null = before): void {
      const own = credential?.limits?.rate ?? null
      if (own !== null && after !== before && (after === null || after > own))
        throw forbidden('an API key cannot allow a key more requests than it may make itself')
    },
  }
}
