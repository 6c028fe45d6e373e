import type { Actor } from '../../actor.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import { Touched } from '../../db/touched.js'
import type { AccessService } from '../accounts/access.js'
import { LimitedParts, type Part } from './parts.js'
import { LimitedSpace } from './space.js'

/** The part of one entry that limits leave. Permissions are asked of the access service. */
export interface MayChange {
  /** The member of the limits that keeps the caller from changing all of the entry. */
  readonly outside: Part | undefined
  /** Whether the caller may change values in a locale; empty for those that all locales share. */
  inLocale(code: string): boolean
  /** Whether the caller may create entries of a datatype under the entry. */
  create(datatypeId: string): boolean
}

const everything: MayChange = { outside: undefined, inLocale: () => true, create: () => true }

type Caller = Pick<Actor, 'userId' | 'roleId' | 'credential'>

/** Answers what limits leave of entries of one space, by the rules that each transaction is checked with. */
export const limitsInSpace = (db: Reader, space: ContentSpace, access: Pick<AccessService, 'boundsOf'>) => ({
  /** @param id null for a new page, whose address is not asked about */
  async mayChange(caller: Caller, id: string | null): Promise<MayChange> {
    const bounds = await access.boundsOf(caller, db)
    if (bounds.length === 0) return everything
    const rows = new LimitedSpace(db, new Touched(), space)
    await rows.load(id === null ? [] : [id], [])
    const all = bounds.map(({ limits }) => new LimitedParts(rows, { userId: caller.userId, limits }))
    for (const parts of all) await parts.loadZone()
    const outside = all
      .flatMap(parts => parts.entryParts.filter(part => id !== null && !parts.hasEntry(part, 'before', id)))
      .at(0)
    const isOfLocales = bounds.some(({ limits }) => limits.locales)
    return {
      outside: outside ?? (isOfLocales ? 'locales' : undefined),
      inLocale: code => outside === undefined && all.every(parts => parts.hasLocale(code)),
      create: datatypeId =>
        !isOfLocales &&
        all.every(parts => parts.entryParts.every(part => parts.hasNew(part, datatypeId, id))),
    }
  },
})
