import { type Actor, signedIn } from '../../actor.js'
import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { duplicate, notConfigured, notFound } from '../../errors.js'
import { signedIds } from '../signed-ids.js'
import type { AccessService } from './access.js'

const table = tables.userPreferences
const kind = { kind: 'calendar' } as const

interface Needs {
  config: () => Pick<Config, 'app_secret'>
  access: AccessService
}

/**
 * The secret address at which a calendar program reads what is scheduled: one for each account that wants it (D-964). It
 * is the signed id of a row, so that it can be shown again, and ends with the row or the account.
 */
export function calendarAddress(db: Database, { config, access }: Needs) {
  const ids = signedIds('calendar addresses', config)
  const own = (actor: Actor) => ({ ...kind, user_id: signedIn(actor).userId })
  return {
    /** Returns the key in the caller's address; undefined without an address. */
    async key(actor: Actor): Promise<string | undefined> {
      const row = await db.find(table, own(actor))
      return row && ids.sign(row.user_preference_id)
    },
    /** @throws 400 without an `app_secret`; 409 if there is an address */
    async create(actor: Actor): Promise<void> {
      if (!config().app_secret) throw notConfigured('the address of a calendar needs an app_secret')
      await db.write(actor, async tx => {
        await tx.lock(tables.users, own(actor).user_id)
        if (await tx.exists(table, own(actor))) throw duplicate('you have a calendar address already')
        await tx.insert(table, own(actor))
      })
    },
    /** Ends the caller's address. @throws 404 without one */
    async revoke(actor: Actor): Promise<void> {
      await db.write(actor, async tx => {
        const rows = await tx.lockAll(table, own(actor))
        if (rows.length === 0) throw notFound()
        await tx.removeAll(table, rows)
      })
    },
    /**
     * Refuses a key whose address has ended, or whose account is gone or may no longer edit content.
     * @throws 404, the same for each reason
     */
    async open(key: string): Promise<void> {
      const id = await ids.read(key)
      const row = id === undefined ? undefined : await db.get(table, id)
      const user = row?.kind === kind.kind ? await db.get(tables.users, row.user_id) : undefined
      const mayRead = user && (await access.can({ roleId: user.role, credential: null }, 'content:update'))
      if (!mayRead) throw notFound('this address is invalid or was revoked')
    },
  }
}
