import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import type { ContentContext } from './context.js'
import type { EditableEntry, HeldEntry } from './edit-trees.js'
import { dropSnapshot, hasPendingChanges, storeSnapshot, workingTree } from './public-snapshot.js'
import { readEntry } from './snapshots.js'
import { combinedSubtree, type EntryDifference, type EntrySnapshot, treeDifference } from './tree-diff.js'

/** How pending changes of a tree become public. Where none is pending, the public sees the tree and nothing is done. */

const isIn =
  (ids: ReadonlySet<string>) =>
  ({ entry }: EntrySnapshot): boolean =>
    ids.has(entry.content_data_id)

/** Changes what the public sees; where it then sees the tree as it is, the snapshot goes. */
async function replace(
  tx: Writer,
  space: ContentSpace,
  root: string,
  next: (
    was: readonly EntrySnapshot[],
    is: readonly EntrySnapshot[],
  ) => { ids: ReadonlySet<string>; fresh: readonly EntrySnapshot[] },
): Promise<EntryDifference[]> {
  if (!(await hasPendingChanges(tx, space, root))) return []
  tx.touched.noteTree(space.contentTrees, root)
  const rows = await tx.findAll(space.publishedSnapshots, { root_id: root })
  const was: EntrySnapshot[] = rows.map(({ snapshot }) => readEntry(snapshot))
  const is = await workingTree(tx, space, root)
  const { ids, fresh } = next(was, is)
  const isReplaced = isIn(ids)
  const others = was.filter(one => !isReplaced(one))
  if (treeDifference([...others, ...fresh], is).length === 0) await dropSnapshot(tx, space, root)
  else {
    const gone = rows.filter(({ content_data_id }) => ids.has(content_data_id))
    const replaced = gone.map(({ published_snapshot_id }) => published_snapshot_id)
    await storeSnapshot(tx, space, root, fresh, { ids: replaced, others })
  }
  return treeDifference(was.filter(isReplaced), fresh)
}

/**
 * Makes pending changes of an entry and everything under it public; what has been moved out of it goes along, for it
 * can no longer be where it was.
 * @returns what the public sees otherwise now; nothing when no change was pending
 */
export const publishSubtree = (tx: Writer, space: ContentSpace, { root_id, content_data_id }: HeldEntry) =>
  replace(tx, space, root_id, (was, is) => {
    const whole = content_data_id === root_id && [...was, ...is].map(({ entry }) => entry.content_data_id)
    const ids = whole ? new Set(whole) : combinedSubtree(content_data_id, was, is)
    return { ids, fresh: is.filter(isIn(ids)) }
  })

/** Makes entries of a tree public alone, with their values, where the public last saw them. */
export async function publishEntries(
  tx: Writer,
  space: ContentSpace,
  { root_id }: HeldEntry,
  list: readonly string[],
): Promise<void> {
  const ids = new Set(list)
  await replace(tx, space, root_id, (was, is) => {
    const places = new Map(was.map(({ entry }) => [entry.content_data_id, entry]))
    const fresh = is.filter(isIn(ids)).map(({ entry, fields }) => {
      const { parent_id, sort_order } = places.get(entry.content_data_id) ?? entry
      return { entry: { ...entry, parent_id, sort_order }, fields }
    })
    return { ids, fresh }
  })
}

/** Takes entries of a tree away from the public at once. */
export async function unpublish(
  tx: Writer,
  space: ContentSpace,
  { root_id }: HeldEntry,
  list: readonly string[],
): Promise<void> {
  const ids = new Set(list)
  await replace(tx, space, root_id, was => ({
    ids,
    fresh: was
      .filter(isIn(ids))
      .map(({ entry, fields }) => ({ entry: { ...entry, status: 'draft' }, fields })),
  }))
}

/** Called when an entry came into another tree: a page that is made by moving is pending until it is published. */
export async function entryMoved(
  tx: Writer,
  { space, isStaged }: ContentContext,
  before: EditableEntry,
  root: string,
): Promise<void> {
  if (before.root_id === before.content_data_id) await dropSnapshot(tx, space, before.root_id)
  if (root === before.content_data_id && isStaged()) await storeSnapshot(tx, space, root, [])
}
