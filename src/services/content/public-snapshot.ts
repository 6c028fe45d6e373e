import type { RowOf } from '../../db/columns.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { dropSnapshotReferences, storeSnapshotReferences } from './references.js'
import { readEntry, storeEntry } from './snapshots.js'
import type { EntrySnapshot } from './tree-diff.js'

/**
 * What the public sees of a tree while its changes are pending: the rows as they were before the first change after the
 * last publish. `publish_mode` decides whether an edit stores them; delivery only looks whether there are any.
 */

type Entry = RowOf<ContentSpace['contentData']>

/** Whether changes of the tree are pending. */
export const hasPendingChanges = (read: Reader, { pendingTrees }: ContentSpace, root: string) =>
  read.exists(pendingTrees, { root_id: root })

/** What the public sees of a tree whose changes are pending. */
export async function publicTree(read: Reader, { publishedSnapshots }: ContentSpace, root: string) {
  const rows = await read.findAll(publishedSnapshots, { root_id: root })
  return rows.map(row => readEntry(row.snapshot))
}

/** What is in the tree. */
export async function workingTree(read: Reader, space: ContentSpace, root: string): Promise<EntrySnapshot[]> {
  const entries = await read.findAll(space.contentData, { root_id: root })
  const fields = new Map(
    entries.map(entry => [entry.content_data_id, [] as EntrySnapshot['fields'][number][]]),
  )
  for (const value of await read.findIn(space.contentFields, 'content_data_id', [...fields.keys()]))
    fields.get(value.content_data_id)?.push(value)
  return entries.map(entry => ({ entry, fields: fields.get(entry.content_data_id) ?? [] }))
}

/** Whether the public sees an entry of a tree whose changes are pending. */
export async function isPublic(read: Reader, { publishedSnapshots }: ContentSpace, entry: Entry) {
  const { root_id, content_data_id } = entry
  const row = await read.find(publishedSnapshots, { root_id, content_data_id })
  return row !== undefined && readEntry(row.snapshot).entry.status === 'published'
}

/** Snapshots that make room for others, and what else there is of the tree. */
export interface Replaced {
  readonly ids: readonly string[]
  readonly others: readonly EntrySnapshot[]
}

/** Stores these as what the public sees of a tree, in place of others where there are any. */
export async function storeSnapshot(
  tx: Writer,
  space: ContentSpace,
  root: string,
  fresh: readonly EntrySnapshot[],
  replaced?: Replaced,
): Promise<void> {
  const { pendingTrees, publishedSnapshots, contentTrees } = space
  const since = (await tx.get(pendingTrees, root))?.since ?? tx.now
  await tx.deleteAllInternal(pendingTrees, 'root_id', [root])
  await tx.deleteAllInternal(publishedSnapshots, 'published_snapshot_id', replaced?.ids ?? [])
  const version = (await tx.get(contentTrees, root))?.version ?? 0
  await tx.insertInternal(pendingTrees, { root_id: root, version, since })
  const rows = fresh.map(one => ({
    root_id: root,
    content_data_id: one.entry.content_data_id,
    snapshot: storeEntry(one),
  }))
  await tx.insertAllInternal(publishedSnapshots, rows)
  const whole = [...(replaced?.others ?? []), ...fresh]
  await storeSnapshotReferences(tx, space, root, whole, replaced !== undefined)
}

/** The tree is gone, or as the public sees it. */
export async function dropSnapshot(tx: Writer, space: ContentSpace, root: string): Promise<void> {
  await tx.deleteAllInternal(space.pendingTrees, 'root_id', [root])
  await tx.deleteAllInternal(space.publishedSnapshots, 'root_id', [root])
  await dropSnapshotReferences(tx, space, root)
}

/**
 * Says that pages of the tree are to be made again, also where the public sees a snapshot: something that is never
 * pending has changed, such as an address or a media item. No entry changes, so this is no edit: a snapshot would call
 * the tree pending though nobody has edited it.
 */
export async function invalidatePublicPage(tx: Writer, space: ContentSpace, root: string): Promise<void> {
  const { contentTrees, pendingTrees } = space
  await tx.lockAndBumpTree(contentTrees, root)
  if (await tx.exists(space.publicEntries, { content_data_id: root })) tx.touched.noteShown(root)
  const pending = await tx.get(pendingTrees, root)
  const version = (await tx.get(contentTrees, root))?.version
  if (!pending || version === undefined) return
  await tx.deleteInternal(pendingTrees, root)
  await tx.insertInternal(pendingTrees, { ...pending, version })
}
