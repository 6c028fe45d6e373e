import type { ContentSpace, EntryRow } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { missingReference, notFound, unavailable } from '../../errors.js'
import type { ContentContext } from './context.js'
import { beginPending, hasPendingChanges } from './public-state.js'

/**
 * The one door to entries that are to change. Whatever changes the shape or the content of a tree:
 * - holds the lock of the tree, so that no two changes can make a cycle together;
 * - has raised the version of the tree, so that no cached page is taken for the new one;
 * - in staged mode has noted that the tree has unpublished changes.
 *
 * Only this file makes the two types below, and functions that change entries accept no others.
 *
 * There are three exceptions. A new tree has nothing to lock and nothing that the public saw (`insertEntries`,
 * `moveSubtree`). A change of a page from outside of its tree is not an edit (`invalidatePublicPage`). The repair locks
 * trees by their roots, because the entries cannot be trusted to say where they are.
 */

declare const held: unique symbol
declare const editable: unique symbol

/** An entry as it is in the lock of its tree: enough to publish or schedule it and to store a version of it. */
export type HeldEntry = EntryRow & { readonly [held]: true }
/** An entry that may be edited: what the public saw of its tree is safe. */
export type EditableEntry = HeldEntry & { readonly [editable]: true }

/** The parent is there when its id was given. */
type ParentOf<Id, Parent> = Id extends string ? Parent : undefined

/**
 * Reads entries with the locks of their trees, which are taken in one order by everybody.
 * @param edited which of the entries are not only read
 * @throws 404 when the first is not there, 400 when another is not
 */
async function lockTrees(
  tx: Writer,
  space: ContentSpace,
  ids: readonly string[],
  edited: readonly string[] = ids,
): Promise<EntryRow[]> {
  const locked = new Set<string>()
  for (let attempt = 0; attempt < 5; attempt++) {
    const entries = await readAll(tx, space, ids)
    const roots = [...new Set(entries.map(({ root_id }) => root_id))].sort()
    if (roots.every(root => locked.has(root))) return entries
    for (const root of roots) {
      const isOf = ({ root_id, content_data_id }: EntryRow) =>
        root_id === root && edited.includes(content_data_id)
      if (!locked.has(root))
        await tx.lockAndBumpTree(space.contentTrees, root, { isEdit: entries.some(isOf) })
      locked.add(root)
    }
    // An entry may have moved to another tree while we waited, so all are read again.
  }
  throw unavailable('the content is being moved, try again')
}

async function readAll(tx: Writer, space: ContentSpace, ids: readonly string[]): Promise<EntryRow[]> {
  const entries: EntryRow[] = []
  for (const [i, id] of ids.entries()) {
    const entry = await tx.get(space.contentData, id)
    if (!entry && i === 0) throw notFound()
    if (!entry) throw missingReference('parent_id', space.contentData.name)
    entries.push(entry)
  }
  return entries
}

async function waitForPublish(
  tx: Writer,
  { space, isStaged }: ContentContext,
  entries: readonly (EntryRow | undefined)[],
): Promise<void> {
  if (!isStaged()) return
  for (const root of new Set(entries.flatMap(entry => entry?.root_id ?? []))) {
    if (await hasPendingChanges(tx, space, root)) continue
    const top = await tx.get(space.contentData, root)
    if (top?.status === 'published') await beginPending(tx, space, root)
  }
}

const both = (id: string, parentId: string | null | undefined) => (parentId ? [id, parentId] : [id])

/**
 * An entry and the parent that it is to have, for an edit of both their trees.
 * @param of.isStatusAlone the edit changes nothing that could be pending
 * @param check may refuse the edit by what the entry is, before anything is stored
 * @throws 404 without the entry, 400 without the parent
 */
export async function editTrees<Id extends string | null | undefined>(
  tx: Writer,
  context: ContentContext,
  { id, parent_id, isStatusAlone }: { id: string; parent_id: Id; isStatusAlone?: boolean },
  check?: (entry: EntryRow) => void | Promise<void>,
) {
  const [entry, parent] = await lockTrees(tx, context.space, both(id, parent_id))
  await check?.(entry as EntryRow)
  if (!isStatusAlone) await waitForPublish(tx, context, [entry, parent])
  return { entry: entry as EditableEntry, parent: parent as ParentOf<Id, EditableEntry> }
}

/** One entry for an edit of its tree. @throws 404 when it is not there */
export async function editTree(
  tx: Writer,
  context: ContentContext,
  id: string,
  check?: (entry: EntryRow) => void | Promise<void>,
): Promise<EditableEntry> {
  return (await editTrees(tx, context, { id, parent_id: undefined }, check)).entry
}

/** The parent of a new entry, for an edit of its tree. @throws 400 when it does not exist */
export async function editParent(tx: Writer, context: ContentContext, id: string): Promise<EditableEntry> {
  const { contentData } = context.space
  if (!(await tx.exists(contentData, { content_data_id: id })))
    throw missingReference('parent_id', contentData.name)
  return editTree(tx, context, id)
}

/** The parent of a copy, for an edit of its tree, and the entry that is copied, which is only read. */
export async function editParentOfCopy<Id extends string | null>(
  tx: Writer,
  context: ContentContext,
  { id, parent_id }: { id: string; parent_id: Id },
) {
  const copiedTo = parent_id ? [parent_id] : []
  const [source, parent] = await lockTrees(tx, context.space, both(id, parent_id), copiedTo)
  await waitForPublish(tx, context, [parent])
  return { source: source as HeldEntry, parent: parent as ParentOf<Id, EditableEntry> }
}

/** The root of an entry's tree for an edit that takes its pending changes back. */
export async function editPendingTree(tx: Writer, space: ContentSpace, id: string) {
  const { root_id } = await lockEntry(tx, space, id)
  const since = (await tx.get(space.contentTrees, root_id))?.pending_since
  const root = await tx.get(space.contentData, root_id)
  return { root_id, pending: since && root ? { since, root: root as EditableEntry } : undefined }
}

/** The parent of an entry, which is in the same tree. */
export async function parentOf(
  tx: Writer,
  { contentData }: ContentSpace,
  { parent_id }: EditableEntry,
): Promise<EditableEntry | undefined> {
  return parent_id ? ((await tx.get(contentData, parent_id)) as EditableEntry | undefined) : undefined
}

/** Returns those of the entries that are in the same tree, by their ids. */
export async function entriesBeside(
  tx: Writer,
  { contentData }: ContentSpace,
  { root_id }: EditableEntry,
  ids: readonly string[],
): Promise<Map<string, EditableEntry>> {
  const found = await tx.findIn(contentData, 'content_data_id', ids)
  return new Map(
    found
      .filter(entry => entry.root_id === root_id)
      .map(entry => [entry.content_data_id, entry as EditableEntry]),
  )
}

/**
 * The roots of trees that lose what a change of the model takes away. The model shows at once, so nothing of this can
 * wait for a publish.
 */
export async function editForModel(
  tx: Writer,
  space: ContentSpace,
  roots: readonly string[],
): Promise<EditableEntry[]> {
  for (const root of roots.toSorted()) await tx.lockAndBumpTree(space.contentTrees, root, { isEdit: true })
  return (await tx.findIn(space.contentData, 'content_data_id', roots)) as EditableEntry[]
}

/**
 * Locks the tree of one entry for work that makes no unpublished changes, such as to publish and to schedule.
 * @throws 404 when the entry is missing
 */
export async function lockEntry(tx: Writer, space: ContentSpace, id: string): Promise<HeldEntry> {
  const [entry] = await lockTrees(tx, space, [id])
  return entry as HeldEntry
}

/** Locks the tree of one entry that is only read. @throws 404 when the entry is missing */
export async function lockReadEntry(tx: Writer, space: ContentSpace, id: string): Promise<HeldEntry> {
  const [entry] = await lockTrees(tx, space, [id], [])
  return entry as HeldEntry
}
