import type { Actor } from '../../actor.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import { Touched } from '../../db/touched.js'
import type { AccessService } from '../accounts/access.js'
import { LimitedParts, type Part } from './parts.js'
import { LimitedSpace } from './space.js'

/** The part of one entry that the limits of a role leave. Permissions are asked of the access service. */
export interface MayChange {
  /** The member of the limits that keeps the caller from changing all of the entry. */
  readonly outside: Part | undefined
  /** Whether the caller may change values in a locale; empty for those that all locales share. */
  inLocale(code: string): boolean
  /** Whether the caller may create entries of a datatype under the entry. */
  create(datatypeId: string): boolean
}

const everything: MayChange = { outside: undefined, inLocale: () => true, create: () => true }

type Caller = Pick<Actor, 'userId' | 'roleId'>

/** Answers what limits leave of entries of one space, by the rules that each transaction is checked with. */
export const limitsInSpace = (db: Reader, space: ContentSpace, access: Pick<AccessService, 'limitsOf'>) => ({
  /** @param id null for a new page, whose address is not asked about */
  async mayChange({ userId, roleId }: Caller, id: string | null): Promise<MayChange> {
    const limits = roleId === null ? undefined : await access.limitsOf(roleId, db)
    if (!limits) return everything
    const rows = new LimitedSpace(db, new Touched(), space)
    await rows.load(id === null ? [] : [id], [])
    const parts = new LimitedParts(rows, { userId, limits })
    await parts.loadZone()
    const outside = parts.entryParts.find(part => id !== null && !parts.hasEntry(part, 'before', id))
    return {
      outside: outside ?? (limits.locales ? 'locales' : undefined),
      inLocale: code => outside === undefined && parts.hasLocale(code),
      create: datatypeId =>
        !limits.locales && parts.entryParts.every(part => parts.hasNew(part, datatypeId, id)),
    }
  },
})
