import type { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { PatchOf, RowOf } from '../../db/columns.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict } from '../../errors.js'
import type { Check } from '../crud.js'
import type { AffectedContent } from './affected-pages.js'
import type { ContentMove, ContentUpdate } from './content-input.js'
import type { ContentContext } from './context.js'
import { type EditableEntry, editTrees, type HeldEntry, parentOf } from './edit-trees.js'
import { setOrders, updateEntry } from './entry-rows.js'
import { checkedPlace, lastPosition, moveSubtree, orderAt, subtreeIds } from './placement.js'
import { invalidatePublicPage } from './public-snapshot.js'
import { entryMoved, publishEntry, unpublish } from './staging.js'
import { storeVersion } from './store-version.js'
import { writeValues } from './write-values.js'

type Entry = RowOf<ContentSpace['contentData']>
type EntryPatch = PatchOf<ContentSpace['contentData']>
type Update = z.output<typeof ContentUpdate>
/** What an update says of the place of an entry, which its datatype decides with. */
type PlacePatch = Pick<Update, 'datatype_id' | 'route_id' | 'parent_id' | 'sort_order'>

/** Changes an entry: its place, its values and its status. */
export async function updateContent(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  { id, patch: given, check }: { id: string; patch: Update; check?: Check<Entry> | undefined },
): Promise<Entry> {
  const { space, events } = context
  const { fields, locale, ...patch } = given
  const { entry, parent } = await editTrees(tx, context, { id, parent_id: patch.parent_id }, check)
  if (patch.datatype_id && patch.datatype_id !== entry.datatype_id) await refuseValues(tx, space, id)
  const place = await relocate(tx, context, entry, parent, patch)
  const publication = publicationOf(tx, actor, entry, patch.status)
  const { after, changed } = await updateEntry(tx, space, entry, { ...patch, ...place, ...publication })
  const written = await setValues(tx, space, actor, after, { fields, locale })
  if (after.status !== entry.status) await changeStatus(tx, context, actor, after)
  else if (changed || written > 0)
    await events.edited(tx, actor, after, () => affectedByUpdate(tx, space, entry, after))
  return after
}

/** Puts an entry under a parent: at a position among its other children, or last. */
export async function moveEntry(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  { content_data_id: id, parent_id, position }: z.output<typeof ContentMove>,
): Promise<Entry> {
  const { space, events } = context
  const { entry, parent } = await editTrees(tx, context, { id, parent_id })
  const sort_order = await makeRoom(tx, space, parent, id, position)
  const place = await relocate(tx, context, entry, parent, { parent_id, sort_order })
  const { after, changed } = await updateEntry(tx, space, entry, { parent_id, sort_order, ...place })
  if (changed) await events.edited(tx, actor, after, () => affectedByUpdate(tx, space, entry, after))
  return after
}

/** @returns the `sort_order` of the position under the parent, from which the other children have given way */
async function makeRoom(
  tx: Writer,
  space: ContentSpace,
  parent: EditableEntry,
  id: string,
  position: number | undefined,
): Promise<number> {
  const parent_id = parent.content_data_id
  if (position === undefined) return lastPosition(tx, space, parent_id)
  const children = await tx.findAll(space.contentData, { parent_id }, { order: 'sort_order' })
  const others = children.filter(child => child.content_data_id !== id)
  const { order, shifted } = orderAt(others, position)
  await setOrders(tx, space, parent, shifted)
  return order
}

/**
 * Checks the place that a patch gives an entry, and takes its subtree there.
 * @param parent the entry that the patch names as parent
 * @returns what changes of the entry with its place
 */
async function relocate(
  tx: Writer,
  context: ContentContext,
  entry: EditableEntry,
  parent: EditableEntry | undefined,
  patch: PlacePatch,
): Promise<Pick<EntryPatch, 'parent_id' | 'route_id' | 'sort_order'>> {
  const { space } = context
  const moved = patch.parent_id !== undefined && patch.parent_id !== entry.parent_id
  const rerouted = patch.route_id !== undefined && patch.route_id !== entry.route_id
  if (!moved && !rerouted && !patch.datatype_id) return {}
  const parentNow = patch.parent_id === undefined ? await parentOf(tx, space, entry) : parent
  // A root that goes under a parent leaves its route.
  const routeLeft = moved && patch.parent_id ? null : entry.route_id
  const wanted = {
    parent_id: patch.parent_id === undefined ? entry.parent_id : patch.parent_id,
    route_id: patch.route_id === undefined ? routeLeft : patch.route_id,
  }
  const datatype = patch.datatype_id ?? entry.datatype_id
  const { parent_id, route_id } = await checkedPlace(tx, space, datatype, wanted, parentNow)
  if (parent_id === entry.parent_id && route_id === entry.route_id) return { parent_id, route_id }
  const root = await moveSubtree(tx, space, entry, parentNow, route_id)
  if (root !== entry.root_id) await entryMoved(tx, context, entry, root)
  else if (rerouted) await invalidatePublicPage(tx, space, root)
  if (!moved || patch.sort_order !== undefined) return { parent_id, route_id }
  return { parent_id, route_id, sort_order: await lastPosition(tx, space, parent_id) }
}

/** @returns how many values of the entry changed */
async function setValues(
  tx: Writer,
  space: ContentSpace,
  actor: Actor,
  entry: EditableEntry,
  { fields, locale }: Pick<Update, 'fields' | 'locale'>,
): Promise<number> {
  if (!fields) return 0
  return writeValues(tx, space, entry, fields, { author_id: actor.userId ?? entry.author_id, locale })
}

/** Takes the new status of an entry to the public: at once, and for that entry alone. */
async function changeStatus(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  entry: HeldEntry,
): Promise<void> {
  const { space } = context
  if (entry.status === 'published') await publishEntry(tx, space, entry)
  else await unpublish(tx, space, entry, [entry.content_data_id])
  // What is under it is seen no more, or again.
  await emitStatus(tx, context, actor, entry, async () => ({ ids: await subtreeIds(tx, space, entry) }))
}

/** Announces the status of an entry that was set on it alone; a published one is stored as a version. */
export async function emitStatus(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  entry: HeldEntry,
  affected: () => Promise<AffectedContent>,
): Promise<void> {
  const { events } = context
  if (entry.status !== 'published') return events.unpublished(tx, actor, entry, affected)
  const version = await storeVersion(tx, context, actor, { entry, entries: [entry], trigger: 'publish' })
  await events.published(tx, actor, entry, version, affected)
}

/** What changes with the status: when it was published, by whom, and the plan that is done. */
function publicationOf(
  tx: Writer,
  actor: Actor,
  { status }: Entry,
  wanted: Update['status'],
): Pick<EntryPatch, 'published_at' | 'published_by' | 'publish_at' | 'unpublish_at'> {
  if (wanted === 'published' && status !== 'published')
    return { published_at: tx.now, published_by: actor.userId, publish_at: null }
  return wanted === 'draft' && status === 'published' ? { unpublish_at: null } : {}
}

/** What an update affects: after a move all that is under the entry, and the page that it was on. */
async function affectedByUpdate(
  tx: Writer,
  space: ContentSpace,
  before: Entry,
  after: Entry,
): Promise<AffectedContent> {
  const { content_data_id, route_id } = after
  if (before.parent_id === after.parent_id && before.route_id === route_id) return { ids: [content_data_id] }
  const left =
    before.route_id && before.route_id !== route_id && (await tx.get(space.routes, before.route_id))
  return {
    ids: await subtreeIds(tx, space, after),
    roots: [before.root_id],
    slugs: left ? [left.slug] : [],
  }
}

async function refuseValues(tx: Writer, space: ContentSpace, content_data_id: string): Promise<void> {
  if (await tx.exists(space.contentFields, { content_data_id }))
    throw conflict('datatype_id cannot change while the entry has field values')
}
