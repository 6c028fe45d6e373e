import type { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { PatchOf } from '../../db/columns.js'
import type { ContentSpace, EntryRow } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import type { Check } from '../crud.js'
import type { AffectedContent } from './affected-pages.js'
import type { ContentMove, ContentUpdate } from './content-input.js'
import type { ContentContext } from './context.js'
import { type EditableEntry, editTrees, type HeldEntry, parentOf } from './edit-trees.js'
import { markEdited, setOrders, updateEntry } from './entry-rows.js'
import { type EntryTree, nested } from './entry-tree.js'
import { checkedPlace, lastPosition, moveSubtree, orderAt, subtreeIds, subtreeOf } from './placement.js'
import { hasPendingChanges, invalidatePublicPage } from './public-state.js'
import { emitStatus, publicationOf } from './publication.js'
import { refuseBroken } from './publication-check.js'
import { slugsOf } from './route-translations.js'
import { entryMoved, publishEntries, unpublish } from './staging.js'
import { storeVersion } from './store-version.js'
import { refuseValues, type Under, updateChildren } from './update-children.js'
import { valuesOf, writeValues } from './write-values.js'

type EntryPatch = PatchOf<ContentSpace['contentData']>
type Update = z.output<typeof ContentUpdate>
type PlacePatch = Pick<Update, 'datatype_id' | 'route_id' | 'parent_id' | 'sort_order'>

/**
 * Changes an entry: its place, its values and its status; and with it the entries under it that the request names.
 * There is one event, about the entry itself.
 */
export async function updateContent(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  { id, patch: given, check }: { id: string; patch: Update; check?: Check<EntryRow> | undefined },
): Promise<EntryTree> {
  const { space } = context
  const { fields, locale, locales, children = [], ...patch } = given
  const isStatusAlone =
    !fields &&
    !locales &&
    children.length === 0 &&
    Object.entries(patch).every(([name, v]) => name === 'status' || v === undefined)
  const edit = { id, parent_id: patch.parent_id, isStatusAlone }
  const { entry, parent } = await editTrees(tx, context, edit, check)
  if (patch.datatype_id && patch.datatype_id !== entry.datatype_id) await refuseValues(tx, space, id)
  const place = await relocate(tx, context, actor, { entry, parent, patch })
  const publication = await publicationOf(tx, context, actor, entry, patch.status)
  const { after: row, changed } = await updateEntry(tx, space, entry, { ...patch, ...place, ...publication })
  const author_id = actor.userId ?? entry.author_id
  const written = await writeValues(
    tx,
    space,
    valuesOf({ fields, locale, locales }, { entry: row, author_id }),
  )
  const isEdited = written.size > 0 && !changed
  const [after = row] = isEdited ? await markEdited(tx, space, [row]) : []
  const under = await updateChildren(tx, context, actor, after, { children, locale })
  const isOther = after.datatype_id !== entry.datatype_id
  await refuseBrokenUpdate(tx, space, after, {
    whole: [...(isOther ? [after] : []), ...under.whole],
    values: new Map([...(isOther ? [] : written), ...under.values]),
    entries: [after, ...under.entries],
    members: under.members,
  })
  const own = changed || written.size > 0 ? [id] : []
  await announceUpdate(tx, context, actor, {
    before: entry,
    after,
    under,
    changed: [...own, ...under.changed],
  })
  return nested([after, ...under.entries])
}

/**
 * Refuses what an update has made public and breaks rules: of entries that are new or of another datatype all values,
 * of others the fields that have changed.
 */
async function refuseBrokenUpdate(
  tx: Writer,
  space: ContentSpace,
  { root_id }: HeldEntry,
  changes: Pick<Under, 'whole' | 'entries' | 'values' | 'members'>,
): Promise<void> {
  const isPublished = ({ status }: HeldEntry) => status === 'published'
  const whole = changes.whole.filter(isPublished)
  const edited = changes.entries.filter(one => isPublished(one) && changes.values.has(one.content_data_id))
  if (whole.length + edited.length === 0 || (await hasPendingChanges(tx, space, root_id))) return
  const fields = new Set([...changes.values.values()].flatMap(one => [...one]))
  await refuseBroken(tx, space, whole, undefined, changes.members)
  await refuseBroken(tx, space, edited, fields, changes.members)
}

async function announceUpdate(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  {
    before,
    after,
    under,
    changed,
  }: { before: EntryRow; after: EditableEntry; under: Under; changed: string[] },
): Promise<void> {
  const { space, events } = context
  const statuses = [...under.statuses, ...(after.status === before.status ? [] : [after])]
  await changeStatuses(tx, space, after, statuses)
  // The entries under these become hidden, or visible again.
  const whole = async () => ({ ids: await subtreeIds(tx, space, after) })
  if (after.status !== before.status) {
    await emitStatus(tx, context, actor, { entry: after, entries: [after, ...under.entries] }, whole)
    return
  }
  if (statuses.length === 0) {
    if (changed.length > 0)
      await events.edited(tx, actor, after, () => affectedByUpdate(tx, space, before, after, changed))
    return
  }
  if (after.status === 'published' && statuses.some(({ status }) => status === 'published'))
    await storeVersion(tx, context, actor, {
      entry: after,
      entries: [after, ...under.entries],
      trigger: 'publish',
    })
  await events.updated(tx, actor, after, whole)
}

/** Puts an entry under a parent: at a position among its other children, or last. */
export async function moveEntry(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  { content_data_id: id, parent_id, position }: z.output<typeof ContentMove>,
  check?: Check<EntryRow>,
): Promise<EntryRow> {
  const { space, events } = context
  const { entry, parent } = await editTrees(tx, context, { id, parent_id }, check)
  const sort_order = await makeRoom(tx, space, parent, id, position)
  const place = await relocate(tx, context, actor, { entry, parent, patch: { parent_id, sort_order } })
  const { after, changed } = await updateEntry(tx, space, entry, { parent_id, sort_order, ...place })
  if (changed) await events.edited(tx, actor, after, () => affectedByUpdate(tx, space, entry, after, [id]))
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
  actor: Actor,
  { entry, parent, patch }: { entry: EditableEntry; parent?: EditableEntry | undefined; patch: PlacePatch },
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
  await leaveRoute(tx, context, actor, { entry, root, route_id })
  const wasPending = root !== entry.root_id && (await hasPendingChanges(tx, space, entry.root_id))
  if (root !== entry.root_id) await entryMoved(tx, context, entry, root)
  else if (rerouted) await invalidatePublicPage(tx, space, root)
  if (wasPending) await refusePendingNoMore(tx, space, root, entry)
  if (!moved || patch.sort_order !== undefined) return { parent_id, route_id }
  return { parent_id, route_id, sort_order: await lastPosition(tx, space, parent_id) }
}

async function leaveRoute(
  tx: Writer,
  { space, redirects }: ContentContext,
  actor: Actor,
  { entry, root, route_id }: { entry: EditableEntry; root: string; route_id: string | null },
): Promise<void> {
  if (!redirects || entry.route_id === null || entry.route_id === route_id) return
  const top = root === entry.content_data_id ? { route_id } : await tx.get(space.contentData, root)
  await redirects.moved(tx, actor, entry, top?.route_id ?? null)
}

/** Refuses broken rules after a move into a tree without unpublished changes: all that moved is public at once. */
async function refusePendingNoMore(
  tx: Writer,
  space: ContentSpace,
  root_id: string,
  entry: EditableEntry,
): Promise<void> {
  if (await hasPendingChanges(tx, space, root_id)) return
  const moved = await subtreeOf(tx, space, { ...entry, root_id })
  await refuseBroken(
    tx,
    space,
    moved.filter(({ status }) => status === 'published'),
  )
}

async function changeStatuses(
  tx: Writer,
  space: ContentSpace,
  held: HeldEntry,
  changed: readonly HeldEntry[],
): Promise<void> {
  const of = (status: EntryRow['status']) => changed.filter(entry => entry.status === status)
  const ids = (list: readonly HeldEntry[]) => list.map(({ content_data_id }) => content_data_id)
  const [published, drafts] = [of('published'), of('draft')]
  if (published.length > 0) {
    await publishEntries(tx, space, held, ids(published))
    await refuseBroken(tx, space, published)
  }
  if (drafts.length > 0) await unpublish(tx, space, held, ids(drafts))
}

async function affectedByUpdate(
  tx: Writer,
  space: ContentSpace,
  before: EntryRow,
  after: EntryRow,
  changed: readonly string[],
): Promise<AffectedContent> {
  const { route_id } = after
  if (before.parent_id === after.parent_id && before.route_id === route_id) return { ids: changed }
  const left =
    before.route_id && before.route_id !== route_id && (await tx.get(space.routes, before.route_id))
  return {
    ids: await subtreeIds(tx, space, after),
    roots: [before.root_id],
    slugs: left ? slugsOf(left) : [],
  }
}
