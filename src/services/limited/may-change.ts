import type { Actor } from '../../actor.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import { Touched } from '../../db/touched.js'
import type { AccessService } from '../accounts/access.js'
import { LimitedParts, type Part, type Trashed } from './parts.js'
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
export function limitsInSpace(db: Reader, space: ContentSpace, access: Pick<AccessService, 'boundsOf'>) {
  /** Returns the limits of the caller over some entries; undefined for a caller without limits. */
  async function partsFor(caller: Caller, ids: readonly string[]): Promise<LimitedParts[] | undefined> {
    const bounds = await access.boundsOf(caller, db)
    if (bounds.length === 0) return undefined
    const rows = new LimitedSpace(db, new Touched(), space)
    await rows.load(ids, [])
    const all = bounds.map(({ limits }) => new LimitedParts(rows, { userId: caller.userId, limits }))
    for (const parts of all) await parts.loadZone()
    return all
  }
  return {
    /** @param id null for a new page, whose address is not asked about */
    async mayChange(caller: Caller, id: string | null): Promise<MayChange> {
      const all = await partsFor(caller, id === null ? [] : [id])
      return all ? mayChangeOf(all, id) : everything
    },
    /** Answers for several entries at once, with as many statements as for one. */
    async mayChangeEach(caller: Caller, ids: readonly string[]): Promise<(id: string) => MayChange> {
      const all = await partsFor(caller, ids)
      return id => (all ? mayChangeOf(all, id) : everything)
    },
    /**
     * Answers which entries in the trash the limits leave to the caller.
     * @param authorOf reads who wrote an entry, which only the limit to one's own entries needs
     * @returns the ids in the trash of entries to restore, and of those to delete for good
     */
    async mayChangeTrashed(
      caller: Caller,
      trashed: readonly Trashed[],
      authorOf: (trashed: Trashed) => Promise<string | null>,
    ): Promise<{ restore: ReadonlySet<string>; remove: ReadonlySet<string> }> {
      const parents = trashed.flatMap(({ parent_id }) => parent_id ?? [])
      const all = await partsFor(caller, parents)
      const ids = trashed.map(({ trash_id }) => trash_id)
      if (!all) return { restore: new Set(ids), remove: new Set(ids) }
      const isOwn = all.some(({ entryParts }) => entryParts.includes('own'))
      const [restore, remove] = [new Set<string>(), new Set<string>()]
      for (const row of trashed) {
        const author = isOwn ? await authorOf(row) : null
        if (all.every(parts => parts.hasTrashed(row, author))) restore.add(row.trash_id)
        if (all.every(parts => parts.hasTrashed(row, row.deleted_by))) remove.add(row.trash_id)
      }
      return { restore, remove }
    },
  }
}

function mayChangeOf(all: readonly LimitedParts[], id: string | null): MayChange {
  const outside = all
    .flatMap(parts => parts.entryParts.filter(part => id !== null && !parts.hasEntry(part, 'before', id)))
    .at(0)
  const isOfLocales = all.some(({ by }) => by.limits.locales)
  return {
    outside: outside ?? (isOfLocales ? 'locales' : undefined),
    inLocale: code => outside === undefined && all.every(parts => parts.hasLocale(code)),
    create: datatypeId =>
      !isOfLocales && all.every(parts => parts.entryParts.every(part => parts.hasNew(part, datatypeId, id))),
  }
}
