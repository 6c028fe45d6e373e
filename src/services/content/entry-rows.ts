import type { Exact, InsertOf, PatchOf, RowOf } from '../../db/columns.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import type { EditableEntry, HeldEntry } from './edit-trees.js'
import { removeReview } from './review-rows.js'

/** How rows of entries change: only in trees that `edit-trees.ts` has opened. */

type Table = ContentSpace['contentData']
/** Its root follows from where it is stored, whatever the row says. */
type NewEntry = Omit<InsertOf<Table>, 'root_id'> & { content_data_id: string; root_id?: string }
type PublicationPatch = Pick<
  PatchOf<Table>,
  'status' | 'published_at' | 'published_by' | 'publish_at' | 'unpublish_at'
>

/** Stores entries, parents first, in the tree of the parent; without one the first is the root of a tree of its own. */
export async function insertEntries<V extends NewEntry>(
  tx: Writer,
  space: ContentSpace,
  parent: EditableEntry | undefined,
  [first, ...others]: readonly [Exact<V, NewEntry>, ...Exact<V, NewEntry>[]],
): Promise<EditableEntry[]> {
  const root_id = parent?.root_id ?? first.content_data_id
  const rows = [first, ...others].map((row: NewEntry) => ({ ...row, root_id }))
  // Nobody can hold or have seen a tree that is not there yet.
  if (!parent) await tx.createTree(space.contentTrees, root_id, latestOf(rows))
  return (await tx.insertAll(space.contentData, rows)) as EditableEntry[]
}

/** Imported entries bring the time of their last change with them. */
const latestOf = (rows: readonly Pick<NewEntry, 'date_modified'>[]): string | undefined => {
  const times = rows.map(({ date_modified }) => date_modified)
  return times.includes(undefined) ? undefined : times.toSorted().at(-1)
}

export const updateEntry = <P extends PatchOf<Table>>(
  tx: Writer,
  space: ContentSpace,
  entry: EditableEntry,
  patch: Exact<P, PatchOf<Table>>,
): Promise<{ after: EditableEntry; changed: boolean }> =>
  updateInTree(tx, space, entry, entry.content_data_id, patch)

/** Changes another entry of the same tree. */
export async function updateInTree<P extends PatchOf<Table>>(
  tx: Writer,
  { contentData }: ContentSpace,
  _entry: EditableEntry,
  id: string,
  patch: Exact<P, PatchOf<Table>>,
): Promise<{ after: EditableEntry; changed: boolean }> {
  const { after, changed } = await tx.update(contentData, id, patch)
  return { after: after as EditableEntry, changed }
}

/** Gives entries of one tree whose values have changed a new date and revision. @returns them as they are now */
export const markEdited = async (
  tx: Writer,
  { contentData }: ContentSpace,
  entries: readonly EditableEntry[],
): Promise<EditableEntry[]> => (await tx.touch(contentData, entries)) as EditableEntry[]

/** Gives other entries of the same tree, by their ids, a new date and revision. */
export async function markEditedInTree(
  tx: Writer,
  { contentData }: ContentSpace,
  _entry: EditableEntry,
  ids: readonly string[],
): Promise<void> {
  await tx.touch(contentData, await tx.findIn(contentData, 'content_data_id', ids))
}

/** Sets whether an entry is published and when it is to be. This is never an unpublished change. */
export async function updatePublication<P extends PublicationPatch>(
  tx: Writer,
  { contentData }: ContentSpace,
  { content_data_id }: HeldEntry,
  patch: Exact<P, PublicationPatch>,
): Promise<{ after: HeldEntry; changed: boolean }> {
  const { after, changed } = await tx.update(contentData, content_data_id, patch)
  return { after: after as HeldEntry, changed }
}

/** Sets for many entries of one tree whether they are published and when they are to be. */
export async function updatePublications<P extends PublicationPatch>(
  tx: Writer,
  { contentData }: ContentSpace,
  entries: readonly HeldEntry[],
  patch: Exact<P, PublicationPatch>,
): Promise<void> {
  const ids = entries.map(({ content_data_id }) => content_data_id)
  await tx.updateAll(contentData, ids, patch)
}

/** Puts children of a parent into an order. @returns whether anything changed */
export async function setOrders(
  tx: Writer,
  space: ContentSpace,
  parent: EditableEntry,
  orders: readonly { id: string; order: number }[],
): Promise<boolean> {
  let any = false
  for (const { id, order } of orders) {
    const { changed } = await updateInTree(tx, space, parent, id, { sort_order: order })
    any ||= changed
  }
  return any
}

/**
 * Removes entries of one tree with their values, versions, comments and requests, and the tree when its root is among
 * them.
 * @param known those of the values and versions that have been read already, all of them
 */
export async function removeEntries(
  tx: Writer,
  space: ContentSpace,
  { root_id }: EditableEntry,
  ids: readonly string[],
  known: {
    readonly values?: readonly RowOf<ContentSpace['contentFields']>[]
    readonly versions?: readonly RowOf<ContentSpace['contentVersions']>[]
  } = {},
): Promise<void> {
  const { contentData, contentFields, contentVersions } = space
  const { values, versions } = known
  await tx.removeAll(contentFields, values ?? (await tx.findIn(contentFields, 'content_data_id', ids)))
  await tx.removeAll(contentVersions, versions ?? (await tx.findIn(contentVersions, 'content_data_id', ids)))
  await tx.removeAll(contentData, await tx.findIn(contentData, 'content_data_id', ids))
  await removeReview(tx, space, ids)
  if (ids.includes(root_id)) await tx.dropTree(space.contentTrees, root_id)
}
