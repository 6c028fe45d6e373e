import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict, notFound } from '../../errors.js'
import { reference } from '../body-parts.js'
import type { EventPrefix } from './events.js'
import { lockEntry } from './placement.js'
import { livingAuthors, recreate, restoreValues } from './restore.js'
import type { Staging } from './staging.js'
import { type Kept, together, treeDifference } from './tree-diff.js'
import { storeVersion, subtreeOf } from './versions.js'

export const ChangesDrop = z.object({ content_data_id: reference })

const place = z
  .object({ parent_id: z.string().nullable(), sort_order: z.int() })
  .nullable()
  .meta({ description: 'Null where the entry is not.' })
export const WaitingChanges = z.object({
  content_data_id: z.string().meta({ description: 'The root of the tree.' }),
  waiting_since: z.string().nullable().meta({ description: 'Null while nothing waits.' }),
  changes: z.array(
    z.object({
      content_data_id: z.string(),
      change: z.enum(['created', 'updated', 'moved', 'deleted']),
      status: z.string().meta({ description: 'Of the working state, or the last one of a deleted entry.' }),
      place: z.object({ public: place, working: place }),
      fields: z.array(
        z.object({
          field_id: z.string(),
          name: z.string(),
          locale: z.string(),
          public: z.string().nullable(),
          working: z.string().nullable(),
        }),
      ),
    }),
  ),
})
export const ChangesDropped = z.object({
  content_data_id: z.string().meta({ description: 'The root of the tree.' }),
  kept_version_id: z.string().nullable().meta({ description: 'What was dropped, as a version of the root.' }),
  dropped: z.int().meta({ description: 'Entries that are other now.' }),
})

type Entry = RowOf<ContentSpace['contentData']>

export interface ChangeService {
  /** What waits in the tree of an entry for the next publish. @throws 404 without such an entry */
  list(id: string): Promise<z.output<typeof WaitingChanges>>
  /**
   * Takes the tree of an entry back to what it was at the last publish; what it is now is kept as a version first.
   * @throws 404 without such an entry; 409 when an entry was moved into or out of the tree meanwhile
   */
  drop(actor: Actor, id: string): Promise<z.output<typeof ChangesDropped>>
}

const positionOf = (entry: Entry | undefined) =>
  entry ? { parent_id: entry.parent_id, sort_order: entry.sort_order } : null
const idOf = ({ entry }: Kept) => entry.content_data_id

/** The changes of trees that wait for the next publish, for one content space. */
export function contentChanges(
  db: Database,
  space: ContentSpace,
  prefix: EventPrefix,
  { staging, maxVersions }: { staging: Staging; maxVersions: () => number },
): ChangeService {
  const { contentData } = space

  /** Only what was made in this tree can be unmade in it, and only what is nowhere else can come back. */
  async function refuseMoved(tx: Writer, was: readonly Kept[], is: readonly Kept[], since: string) {
    const [before, now] = [new Set(was.map(idOf)), new Set(is.map(idOf))]
    const came = is.find(({ entry }) => !before.has(entry.content_data_id) && entry.date_created < since)
    if (came) throw conflict(`${idOf(came)} came here from elsewhere: move or delete it first`)
    const absent = [...before].filter(id => !now.has(id))
    const [left] = await tx.findIn(contentData, 'content_data_id', absent)
    if (left) throw conflict(`${left.content_data_id} was moved to another tree: move it back first`)
  }

  /** @returns how many entries are other now */
  async function revert(tx: Writer, root: Entry, was: readonly Kept[], is: readonly Kept[]): Promise<number> {
    const differences = treeDifference(was, is)
    const before = new Map(was.map(kept => [idOf(kept), kept]))
    const changed = new Set(differences.map(({ content_data_id }) => content_data_id))
    // Parents first, as entries that had been deleted come back under theirs.
    const kept = [...together(root.content_data_id, was, [])].flatMap(id =>
      changed.has(id) ? (before.get(id) ?? []) : [],
    )
    const snapshot = { entries: kept.map(({ entry }) => entry), fields: kept.flatMap(({ fields }) => fields) }
    const present = new Set(is.map(idOf))
    const { there } = await recreate(tx, space, root, snapshot, present)
    const authorOf = await livingAuthors(tx, snapshot.entries, root.author_id)
    for (const entry of snapshot.entries) {
      const { content_data_id: id, parent_id, sort_order, datatype_id } = entry
      if (present.has(id))
        await tx.update(contentData, id, { parent_id, sort_order, datatype_id, author_id: authorOf(entry) })
    }
    const { route_id, author_id: fallbackAuthor } = root
    await restoreValues(tx, space, snapshot, there, { route_id, locale: '', fallbackAuthor })
    const created = is.filter(one => !before.has(idOf(one)))
    const values = created.flatMap(({ fields }) => fields)
    await tx.removeAll(space.contentFields, values)
    const ids = created.map(idOf)
    await tx.removeAll(space.contentVersions, await tx.findIn(space.contentVersions, 'content_data_id', ids))
    await tx.removeAll(contentData, await tx.findIn(contentData, 'content_data_id', ids))
    return differences.length
  }

  return {
    async list(id) {
      const entry = await db.get(contentData, id)
      if (!entry) throw notFound()
      const { root_id } = entry
      const waiting_since = (await db.get(space.publicTrees, root_id))?.since ?? null
      if (waiting_since === null) return { content_data_id: root_id, waiting_since, changes: [] }
      const found = treeDifference(
        await staging.publicTree(db, root_id),
        await staging.workingTree(db, root_id),
      )
      const fields = await db.findIn(space.fields, 'field_id', [
        ...new Set(found.flatMap(({ values }) => values.map(({ field_id }) => field_id))),
      ])
      const names = new Map(fields.map(({ field_id, name }) => [field_id, name]))
      const changes = found.map(({ content_data_id, change, before, after, values }) => ({
        content_data_id,
        change,
        status: (after ?? before)?.status ?? '',
        place: { public: positionOf(before), working: positionOf(after) },
        fields: values.map(value => ({
          field_id: value.field_id,
          name: names.get(value.field_id) ?? '',
          locale: value.locale,
          public: value.before,
          working: value.after,
        })),
      }))
      return { content_data_id: root_id, waiting_since, changes }
    },
    drop: (actor, id) =>
      db.write(actor, async tx => {
        const { root_id } = await lockEntry(tx, space, id)
        const tree = await tx.get(space.publicTrees, root_id)
        const root = await tx.get(contentData, root_id)
        const nothing = { content_data_id: root_id, kept_version_id: null, dropped: 0 }
        if (!tree || !root) return nothing
        const [was, is] = [await staging.publicTree(tx, root_id), await staging.workingTree(tx, root_id)]
        await refuseMoved(tx, was, is, tree.since)
        const kept = await storeVersion(tx, space, actor, {
          entry: root,
          entries: await subtreeOf(tx, space, root),
          trigger: 'restore',
          prefix,
          maxVersions: maxVersions(),
        })
        const dropped = await revert(tx, root, was, is)
        await staging.dropSnapshot(tx, root_id)
        return { content_data_id: root_id, kept_version_id: kept.content_version_id, dropped }
      }),
  }
}
