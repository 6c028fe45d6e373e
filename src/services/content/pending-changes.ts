import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { pendingTrees } from '../../db/queries/content.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace, EntryRow } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict, notFound } from '../../errors.js'
import { reference } from '../body-parts.js'
import type { ContentContext } from './context.js'
import { type EditableEntry, editPendingTree } from './edit-trees.js'
import { removeEntries, updateInTree } from './entry-rows.js'
import { subtreeOf } from './placement.js'
import { endPending, publicTree, workingTree } from './public-state.js'
import { existingAuthors, recreate, restoreValues } from './restore.js'
import { seenOf } from './staging.js'
import { storeVersion } from './store-version.js'
import { combinedSubtree, type EntryDifference, type EntrySnapshot, treeDifference } from './tree-diff.js'
import { hiddenDatatypes } from './visibility.js'

export const ChangesDrop = z.object({ content_data_id: reference })

const position = z
  .object({ parent_id: z.string().nullable(), sort_order: z.int() })
  .nullable()
  .meta({ description: 'Null if the entry does not exist there.' })
export const WaitingChanges = z.object({
  content_data_id: z.string().meta({ description: 'The root of the tree.' }),
  waiting_since: z
    .string()
    .nullable()
    .meta({ description: 'The time of the first unpublished change; null without unpublished changes.' }),
  changes: z.array(
    z.object({
      content_data_id: z.string(),
      change: z.enum(['created', 'updated', 'moved', 'deleted']),
      status: z
        .string()
        .meta({ description: 'The status in the working state, or the last status of a deleted entry.' }),
      place: z.object({ public: position, working: position }),
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
  kept_version_id: z
    .string()
    .nullable()
    .meta({ description: 'The version of the root with the discarded changes.' }),
  dropped: z.int().meta({ description: 'The number of entries that were reset.' }),
})

type Waiting = z.output<typeof WaitingChanges>
type Dropped = z.output<typeof ChangesDropped>

/** The pending changes of trees, for one content space. */
export const contentChanges = (context: ContentContext) => ({
  /** The changes in the tree of an entry that the next publish makes public. @throws 404 without such an entry */
  list: (id: string) => list(context.db, context.space, id),
  /** Returns by their roots whether trees have unpublished changes, and when they were edited last. */
  async ofTrees(roots: readonly string[]) {
    const trees = await context.db.findIn(context.space.contentTrees, 'root_id', roots)
    return new Map(
      trees.map(({ root_id, pending_since, changed_at }) => [
        root_id,
        { isWaiting: pending_since !== null, changed_at },
      ]),
    )
  },
  waiting: (limit: number) => context.db.query(pendingTrees(context.space, limit), {}),
  /**
   * Takes the tree of an entry back to what it was at the last publish; what it is now is stored as a version first.
   * @throws 404 without such an entry; 409 when an entry was moved into or out of the tree meanwhile
   */
  drop: (actor: Actor, id: string) => context.db.write(actor, tx => drop(tx, context, actor, id)),
})

const idOf = ({ entry }: EntrySnapshot) => entry.content_data_id
const positionOf = (entry: EntryRow | undefined) =>
  entry ? { parent_id: entry.parent_id, sort_order: entry.sort_order } : null

async function list(db: Database, space: ContentSpace, id: string): Promise<Waiting> {
  const entry = await db.get(space.contentData, id)
  if (!entry) throw notFound()
  const { root_id } = entry
  const waiting_since = (await db.get(space.contentTrees, root_id))?.pending_since ?? null
  if (waiting_since === null) return { content_data_id: root_id, waiting_since, changes: [] }
  const { was, is } = await statesOf(db, space, root_id, waiting_since)
  const found = treeDifference(was, is)
  const ids = new Set(found.flatMap(({ values }) => values.map(({ field_id }) => field_id)))
  const fields = await db.findIn(space.fields, 'field_id', [...ids])
  const names = new Map(fields.map(({ field_id, name }) => [field_id, name]))
  return { content_data_id: root_id, waiting_since, changes: found.map(one => describe(one, names)) }
}

function describe(
  { content_data_id, change, before, after, values }: EntryDifference,
  names: ReadonlyMap<string, string>,
): Waiting['changes'][number] {
  return {
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
  }
}

async function drop(tx: Writer, context: ContentContext, actor: Actor, id: string): Promise<Dropped> {
  const { space } = context
  const { root_id, pending } = await editPendingTree(tx, space, id)
  if (!pending) return { content_data_id: root_id, kept_version_id: null, dropped: 0 }
  const { root, since } = pending
  const states = await statesOf(tx, space, root_id, since)
  await refuseMoved(tx, space, { ...states, since })
  const entries = await subtreeOf(tx, space, root)
  const stored = await storeVersion(tx, context, actor, { entry: root, entries, trigger: 'restore' })
  const dropped = await revert(tx, space, root, states)
  await endPending(tx, space, root_id)
  return { content_data_id: root_id, kept_version_id: stored.content_version_id, dropped }
}

interface States {
  readonly was: readonly EntrySnapshot[]
  /** Without older drafts: the public never saw them, so they are not among the unpublished changes. */
  readonly is: readonly EntrySnapshot[]
}

/** A tree as the public sees it and as it is, as far as changes since that time can be seen. */
async function statesOf(read: Reader, space: ContentSpace, root: string, since: string): Promise<States> {
  const [was, all] = [await publicTree(read, space, root), await workingTree(read, space, root)]
  const known = new Set(was.map(idOf))
  const seen = new Set(seenOf(all, await hiddenDatatypes(read, space)).map(idOf))
  const isChange = (one: EntrySnapshot) =>
    known.has(idOf(one)) || seen.has(idOf(one)) || one.entry.date_created >= since
  return { was, is: all.filter(isChange) }
}

/** Only what was made in this tree can be unmade in it, and only what is nowhere else can come back. */
async function refuseMoved(tx: Writer, space: ContentSpace, { was, is, since }: States & { since: string }) {
  const [before, now] = [new Set(was.map(idOf)), new Set(is.map(idOf))]
  const came = is.find(({ entry }) => !before.has(entry.content_data_id) && entry.date_created < since)
  if (came) throw conflict(`${idOf(came)} was moved here from another place: move or delete it first`)
  const absent = [...before].filter(id => !now.has(id))
  const [left] = await tx.findIn(space.contentData, 'content_data_id', absent)
  if (left) throw conflict(`${left.content_data_id} was moved to another tree: move it back first`)
  const gone = [...now].filter(id => !before.has(id))
  const under = await tx.findIn(space.contentData, 'parent_id', gone)
  const draft = under.find(({ content_data_id: id }) => !before.has(id) && !now.has(id))
  if (draft) throw conflict(`${draft.content_data_id} is under an entry that would be deleted: move it first`)
}

/** Discards the changes of a tree. @returns how many entries this changes */
async function revert(
  tx: Writer,
  space: ContentSpace,
  root: EditableEntry,
  { was, is }: States,
): Promise<number> {
  const differences = treeDifference(was, is)
  const before = new Map(was.map(one => [idOf(one), one]))
  const changed = new Set(differences.map(({ content_data_id }) => content_data_id))
  // Parents first, as entries that had been deleted come back under theirs.
  const back = [...combinedSubtree(root.content_data_id, was, [])].flatMap(id =>
    changed.has(id) ? (before.get(id) ?? []) : [],
  )
  const snapshot = { entries: back.map(({ entry }) => entry), fields: back.flatMap(({ fields }) => fields) }
  const present = new Set(is.map(idOf))
  const { there: ids } = await recreate(tx, space, root, snapshot, present)
  const authorOf = await existingAuthors(tx, snapshot.entries, root.author_id)
  for (const entry of snapshot.entries) {
    const { content_data_id: id, parent_id, sort_order, datatype_id } = entry
    const patch = { parent_id, sort_order, datatype_id, author_id: authorOf(entry) }
    if (present.has(id)) await updateInTree(tx, space, root, id, patch)
  }
  await restoreValues(tx, space, root, snapshot, { ids, route_id: root.route_id, locale: '' })
  const created = is.filter(one => !before.has(idOf(one)))
  const values = created.flatMap(({ fields }) => fields)
  await removeEntries(tx, space, root, created.map(idOf), { values })
  return differences.length
}
