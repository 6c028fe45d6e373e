import { rootsOfDatatype } from '../../db/queries/content.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { Turns } from '../../turns.js'
import { mayBePublic, publicRow, reachable, visible } from './book-rows.js'
import { BookUpdate } from './book-update.js'
import type { ContentContext } from './context.js'
import type { EditableEntry, HeldEntry } from './edit-trees.js'
import { beginPending, endPending, hasPendingChanges, publicTree, workingTree } from './public-state.js'
import { combinedSubtree, type EntryDifference, type EntrySnapshot, treeDifference } from './tree-diff.js'
import { hiddenDatatypes } from './visibility.js'

/** Makes unpublished changes of a tree public. A tree without them is public as it is, and nothing is done. */

const idOf = ({ entry }: EntrySnapshot) => entry.content_data_id
const isIn = (ids: ReadonlySet<string>) => (one: EntrySnapshot) => ids.has(idOf(one))

interface States {
  readonly was: readonly EntrySnapshot[]
  readonly is: readonly EntrySnapshot[]
  readonly hidden: ReadonlySet<string>
}

const statesOf = async (tx: Writer, space: ContentSpace, root: string): Promise<States> => ({
  was: await publicTree(tx, space, root),
  is: await workingTree(tx, space, root),
  hidden: await hiddenDatatypes(tx, space),
})

/** Returns the entries that the public would see if the tree were published as it is. */
export function seenOf(is: readonly EntrySnapshot[], hidden: ReadonlySet<string>): EntrySnapshot[] {
  const ids = new Set(
    visible(
      is.map(({ entry }) => entry),
      hidden,
    ).map(one => one.content_data_id),
  )
  return is.filter(isIn(ids))
}

/**
 * Writes a part of a tree with pending changes into the public book. Where the public then sees the tree as it is, no
 * change is pending any more.
 * @param ids entries that make room for those of `fresh`
 * @returns how the public sees these differently now
 */
async function replace(
  tx: Writer,
  space: ContentSpace,
  root: string,
  { was, is, hidden }: States,
  { ids, fresh }: { ids: ReadonlySet<string>; fresh: readonly EntrySnapshot[] },
): Promise<EntryDifference[]> {
  const others = was.filter(one => !ids.has(idOf(one)))
  const shown = fresh.filter(({ entry }) => mayBePublic(hidden)(entry))
  const rows = [
    ...others.map(({ entry }) => entry),
    ...shown.map(({ entry }) => publicRow({ ...entry, root_id: root })),
  ]
  const next = reachable(rows)
  const seen = new Set(next.map(({ content_data_id }) => content_data_id))
  const stored = was.map(({ entry }) => entry)
  await new BookUpdate(tx, space).ofPart(root, stored, next, new Set(shown.map(idOf)))
  const now = [...others, ...shown].filter(isIn(seen))
  if (treeDifference(now, seenOf(is, hidden)).length === 0) await endPending(tx, space, root)
  return treeDifference(was.filter(isIn(ids)), now.filter(isIn(ids)))
}

/**
 * Makes unpublished changes of an entry and everything under it public. Entries that have been moved out of it are
 * included, because they can no longer be where they were.
 * @returns what the public sees differently now; empty without unpublished changes
 */
export async function publishSubtree(
  tx: Writer,
  space: ContentSpace,
  { root_id, content_data_id }: HeldEntry,
): Promise<EntryDifference[]> {
  if (!(await hasPendingChanges(tx, space, root_id))) return []
  const states = await statesOf(tx, space, root_id)
  const { was, is, hidden } = states
  if (content_data_id === root_id) {
    await endPending(tx, space, root_id)
    return treeDifference(was, seenOf(is, hidden))
  }
  const ids = combinedSubtree(content_data_id, was, is)
  return replace(tx, space, root_id, states, { ids, fresh: is.filter(isIn(ids)) })
}

/** Adds entries under these that the public does not see, because it did not see what is above them. */
function withUnseen(list: readonly string[], { was, is }: States): Set<string> {
  const seen = new Set(was.map(idOf))
  const ids = new Set(list)
  const under = is.filter(one => !seen.has(idOf(one)))
  for (let n = -1; n !== ids.size; ) {
    n = ids.size
    for (const { entry } of under)
      if (entry.parent_id !== null && ids.has(entry.parent_id)) ids.add(entry.content_data_id)
  }
  return ids
}

/** Makes entries of a tree public alone, with their values: where the public sees them, or where they are. */
export async function publishEntries(
  tx: Writer,
  space: ContentSpace,
  { root_id }: HeldEntry,
  list: readonly string[],
): Promise<void> {
  if (!(await hasPendingChanges(tx, space, root_id))) return
  const states = await statesOf(tx, space, root_id)
  const ids = withUnseen(list, states)
  const places = new Map(states.was.map(({ entry }) => [entry.content_data_id, entry]))
  const fresh = states.is.filter(isIn(ids)).map(({ entry, fields }) => {
    const { parent_id, sort_order } = places.get(entry.content_data_id) ?? entry
    return { entry: { ...entry, parent_id, sort_order }, fields }
  })
  await replace(tx, space, root_id, states, { ids, fresh })
}

/** Hides entries of a tree from the public at once, with all that it sees under them. */
export async function unpublish(
  tx: Writer,
  space: ContentSpace,
  { root_id }: HeldEntry,
  list: readonly string[],
): Promise<void> {
  if (!(await hasPendingChanges(tx, space, root_id))) return
  await replace(tx, space, root_id, await statesOf(tx, space, root_id), { ids: new Set(list), fresh: [] })
}

/** Takes entries that are deleted with the content model out of the public book, also where changes of their tree are pending. */
export async function leavePublic(
  tx: Writer,
  space: ContentSpace,
  column: 'content_data_id' | 'datatype_id',
  values: readonly string[],
): Promise<void> {
  const rows = await tx.findIn(space.publicEntries, column, values)
  const gone = new Set(rows.map(({ content_data_id }) => content_data_id))
  for (const root of new Set(rows.map(({ root_id }) => root_id))) {
    if (!(await hasPendingChanges(tx, space, root))) continue
    const stored = await tx.findAll(space.publicEntries, { root_id: root })
    const next = reachable(stored.filter(({ content_data_id }) => !gone.has(content_data_id)))
    await new BookUpdate(tx, space).ofPart(root, stored, next, new Set())
  }
}

/**
 * Follows a change of what the public may see of a datatype. What it does not see has no pending state: entries that it
 * may see from now on come as they are. The caller holds the datatype, whose row every new entry of it shares by its
 * foreign key.
 */
export async function followVisibility(tx: Writer, space: ContentSpace, datatypeId: string): Promise<void> {
  const turns = new Turns()
  for (const root of await lockTreesOf(tx, space, datatypeId)) {
    await turns.next()
    if (await hasPendingChanges(tx, space, root)) await followInPending(tx, space, root, datatypeId)
    else tx.touched.noteTree(space.contentTrees, root)
  }
}

/**
 * Takes the locks of all trees that have entries of a datatype in one of the books. An entry may have moved to another
 * tree while we waited for its own, so they are looked for until all of them are held (D-829).
 */
async function lockTreesOf(tx: Writer, space: ContentSpace, datatypeId: string): Promise<Set<string>> {
  const held = new Set<string>()
  const turns = new Turns()
  for (;;) {
    const now = await tx.query(rootsOfDatatype(space), { datatype: datatypeId })
    const seen = await tx.findAll(space.publicEntries, { datatype_id: datatypeId })
    const roots = new Set([...now, ...seen.map(({ root_id }) => root_id)])
    const others = [...roots].filter(root => !held.has(root)).sort()
    if (others.length === 0) return held
    for (const root of others) {
      await turns.next()
      await tx.lockAndBumpTree(space.contentTrees, root)
      held.add(root)
    }
  }
}

async function followInPending(
  tx: Writer,
  space: ContentSpace,
  root: string,
  datatypeId: string,
): Promise<void> {
  const states = await statesOf(tx, space, root)
  const { was, is, hidden } = states
  const isOf = ({ entry }: EntrySnapshot) => entry.datatype_id === datatypeId
  if (hidden.has(datatypeId)) {
    await replace(tx, space, root, states, { ids: new Set(was.filter(isOf).map(idOf)), fresh: [] })
    return
  }
  const seen = new Set(was.map(idOf))
  const ids = withUnseen(is.filter(one => isOf(one) && !seen.has(idOf(one))).map(idOf), states)
  if (ids.has(root)) await endPending(tx, space, root)
  else await replace(tx, space, root, states, { ids, fresh: is.filter(isIn(ids)) })
}

/** Called when an entry came into another tree: a page that is made by moving is pending until it is published. */
export async function entryMoved(
  tx: Writer,
  { space, isStaged }: ContentContext,
  before: EditableEntry,
  root: string,
): Promise<void> {
  if (root === before.content_data_id && isStaged()) await beginPending(tx, space, root)
}
