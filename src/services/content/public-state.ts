import { wholeValues } from '../../db/queries/shown-entries.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace, EntryRow, ValueRow } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import type { EntrySnapshot } from './tree-diff.js'

/**
 * Trees in the two books, and whether they differ. While changes of a tree are pending, its rows in the public book stay
 * as they are; otherwise the end of each transaction makes them those of the working book. `publish_mode` decides whether
 * an edit makes a tree pending; delivery reads the book of its audience and asks for nothing else.
 */

/** Whether changes of the tree are pending. */
export async function hasPendingChanges(
  read: Reader,
  { contentTrees }: ContentSpace,
  root: string,
): Promise<boolean> {
  const since = (await read.get(contentTrees, root))?.pending_since
  return since !== undefined && since !== null
}

/** Returns those of the trees that have unpublished changes. */
export async function pendingAmong(
  read: Reader,
  { contentTrees }: ContentSpace,
  roots: readonly string[],
): Promise<ReadonlySet<string>> {
  const trees = await read.findIn(contentTrees, 'root_id', roots)
  return new Set(trees.flatMap(({ root_id, pending_since }) => (pending_since === null ? [] : [root_id])))
}

function withValues(entries: readonly EntryRow[], values: readonly ValueRow[]): EntrySnapshot[] {
  const fields = new Map(entries.map(entry => [entry.content_data_id, [] as ValueRow[]]))
  for (const value of values) fields.get(value.content_data_id)?.push(value)
  return entries.map(entry => ({ entry, fields: fields.get(entry.content_data_id) ?? [] }))
}

/** Values of entries as the public book has them. @param route of their tree */
export async function publicValuesOf(
  read: Reader,
  space: ContentSpace,
  ids: readonly string[],
  route: string | null = null,
): Promise<ValueRow[]> {
  return (await read.queryIn(wholeValues(space), ids)).map(value => ({ ...value, route_id: route }))
}

/** A tree as the public sees it. */
export async function publicTree(read: Reader, space: ContentSpace, root: string): Promise<EntrySnapshot[]> {
  const entries = await read.findAll(space.publicEntries, { root_id: root })
  const route = entries.find(({ content_data_id }) => content_data_id === root)?.route_id ?? null
  const ids = entries.map(({ content_data_id }) => content_data_id)
  return withValues(entries, await publicValuesOf(read, space, ids, route))
}

/** Returns the entries and values of a tree as they are in the working book. */
export async function workingTree(read: Reader, space: ContentSpace, root: string): Promise<EntrySnapshot[]> {
  const entries = await read.findAll(space.contentData, { root_id: root })
  const ids = entries.map(({ content_data_id }) => content_data_id)
  return withValues(entries, await read.findIn(space.contentFields, 'content_data_id', ids))
}

/** Whether the public sees an entry in its tree. */
export const isPublic = (
  read: Reader,
  { publicEntries }: ContentSpace,
  { root_id, content_data_id }: EntryRow,
): Promise<boolean> => read.exists(publicEntries, { root_id, content_data_id })

/** From now on changes of the tree are pending until they are published. */
export const beginPending = (tx: Writer, { contentTrees }: ContentSpace, root: string): Promise<void> =>
  tx.updateInternal(contentTrees, [root], { pending_since: tx.now })

/** The public sees the tree as it is: the end of the transaction makes its rows in the public book. */
export async function endPending(tx: Writer, { contentTrees }: ContentSpace, root: string): Promise<void> {
  await tx.updateInternal(contentTrees, [root], { pending_since: null })
  tx.touched.noteTree(contentTrees, root)
}

/**
 * Says that pages of the tree are to be made again: something that is never pending has changed, such as an address or a
 * media item. No entry changes, so nothing becomes pending.
 * @param how.isEdit people see the time of this change as that of the page
 */
export async function invalidatePublicPage(
  tx: Writer,
  space: ContentSpace,
  root: string,
  how: { isEdit?: boolean } = {},
): Promise<void> {
  await tx.lockAndBumpTree(space.contentTrees, root, how)
  if (await tx.exists(space.publicEntries, { content_data_id: root }))
    await tx.notePublic(space.contentTrees, [root])
}
