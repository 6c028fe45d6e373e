import { z } from 'zod'
import { type Actor, authorOf } from '../../actor.js'
import type { PatchOf, RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict, invalid, missingReference } from '../../errors.js'
import { authorId, reference } from '../body-parts.js'
import { type Check, type Crud, reads } from '../crud.js'
import type { AffectedContent } from './affected-pages.js'
import { writeValues } from './content-fields.js'
import type { ContentEvents, EventPrefix } from './events.js'
import { localeCode } from './locales.js'
import {
  checkedPlace,
  lastPosition,
  lockTrees,
  moveSubtree,
  orderAt,
  ordersOf,
  subtreeIds,
} from './placement.js'
import { invalidatePublicPage, type Staging } from './staging.js'
import { storeVersion } from './versions.js'

const status = z.enum(['draft', 'published'])
/** Values by field name; numbers and truth values are taken as their text. */
const values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

export const ContentCreate = z.object({
  datatype_id: reference,
  route_id: reference.nullable().default(null),
  parent_id: reference.nullable().default(null),
  sort_order: z.int32().optional(),
  status: status.default('draft'),
  author_id: authorId,
  fields: values.default({}),
})
export const ContentUpdate = z.object({
  datatype_id: reference.optional(),
  route_id: reference.nullable().optional(),
  parent_id: reference.nullable().optional(),
  sort_order: z.int32().optional(),
  status: status.optional(),
  author_id: authorId,
  fields: values.optional(),
  locale: localeCode.optional().meta({ description: 'The locale that `fields` is written in.' }),
})
export const ContentMove = z.object({
  content_data_id: reference,
  parent_id: reference,
  position: z.int32().min(0).optional(),
})
export const ContentReorder = z.object({
  parent_id: reference,
  content_data_ids: z.array(reference).min(1).max(100_000),
})

type Entry = RowOf<ContentSpace['contentData']>
type Create = z.output<typeof ContentCreate>
type Update = z.output<typeof ContentUpdate>
/** What an update says of the entry itself. */
type Patch = Omit<Update, 'fields' | 'locale'>

export interface ContentService extends Omit<Crud<ContentSpace['contentData'], Create, Update>, 'remove'> {
  /** @throws 409 when the entry has child entries, unless they go with it */
  remove(actor: Actor, id: string, check?: Check<Entry>, withChildren?: boolean): Promise<void>
  /** @throws 400 `Circular reference detected` under itself */
  move(actor: Actor, move: z.output<typeof ContentMove>): Promise<Entry>
  /** @returns the children in their new order */
  reorder(actor: Actor, order: z.output<typeof ContentReorder>): Promise<Entry[]>
}

/** Entries of content trees (4.5), for the public space or the admin space. */
export function content(
  db: Database,
  space: ContentSpace,
  prefix: EventPrefix,
  { maxVersions, events, staging }: { maxVersions: () => number; events: ContentEvents; staging: Staging },
): ContentService {
  const { contentData } = space

  /** A status that was set on one entry alone concerns that entry alone (3.2). */
  async function emitStatus(
    tx: Writer,
    actor: Actor,
    entry: Entry,
    affected: () => Promise<AffectedContent>,
  ): Promise<void> {
    if (entry.status !== 'published') return events.unpublished(tx, actor, entry, affected)
    const version = await storeVersion(tx, space, actor, {
      entry,
      entries: [entry],
      trigger: 'publish',
      prefix,
      maxVersions: maxVersions(),
    })
    await events.published(tx, actor, entry, version, affected)
  }

  async function create(tx: Writer, actor: Actor, input: Create): Promise<Entry> {
    const { fields, ...given } = { ...input, author_id: authorOf(actor, input.author_id) }
    const [parent] = given.parent_id ? await lockParent(tx, space, given.parent_id) : []
    await staging.snapshotBeforeEdit(tx, [parent])
    const place = await checkedPlace(tx, space, given.datatype_id, given, parent)
    const id = tx.newId()
    const root_id = parent?.root_id ?? id
    const published = given.status === 'published'
    if (!parent) await tx.createTree(space.contentTrees, id)
    const entry = await tx.insert(contentData, {
      ...given,
      ...place,
      content_data_id: id,
      root_id,
      sort_order: given.sort_order ?? (await lastPosition(tx, space, place.parent_id)),
      published_at: published ? tx.now : null,
      published_by: published ? actor.userId : null,
    })
    await writeValues(tx, space, entry, fields, { author_id: given.author_id })
    // A new entry of a published page is a change of that page.
    if (published && !(parent && (await staging.hasPendingChanges(tx, root_id))))
      // Nothing can refer to it yet.
      await emitStatus(tx, actor, entry, async () => ({ ids: [] }))
    return entry
  }

  /**
   * Checks the place that a patch gives an entry, and takes its subtree there.
   * @returns what changes with the place
   */
  async function relocate(
    tx: Writer,
    entry: Entry,
    parent: Entry | undefined,
    patch: Patch,
  ): Promise<PatchOf<ContentSpace['contentData']>> {
    const moved = patch.parent_id !== undefined && patch.parent_id !== entry.parent_id
    const rerouted = patch.route_id !== undefined && patch.route_id !== entry.route_id
    if (!moved && !rerouted && !patch.datatype_id) return {}
    const parentNow =
      patch.parent_id === undefined && entry.parent_id ? await tx.get(contentData, entry.parent_id) : parent
    // A root that goes under a parent leaves its route.
    const routeLeft = moved && patch.parent_id ? null : entry.route_id
    const { parent_id, route_id } = await checkedPlace(
      tx,
      space,
      patch.datatype_id ?? entry.datatype_id,
      {
        parent_id: patch.parent_id === undefined ? entry.parent_id : patch.parent_id,
        route_id: patch.route_id === undefined ? routeLeft : patch.route_id,
      },
      parentNow,
    )
    if (parent_id === entry.parent_id && route_id === entry.route_id) return { parent_id, route_id }
    const root = await moveSubtree(tx, space, entry, parentNow, route_id)
    if (root !== entry.root_id) await staging.entryMoved(tx, entry, root)
    else if (rerouted) await invalidatePublicPage(tx, space, root)
    if (!moved || patch.sort_order !== undefined) return { parent_id, route_id }
    return { parent_id, route_id, sort_order: await lastPosition(tx, space, parent_id) }
  }

  async function update(
    tx: Writer,
    actor: Actor,
    id: string,
    { fields, locale, ...patch }: Update,
    check?: Check<Entry>,
  ): Promise<Entry> {
    const [entry, parent] = await lockTrees(tx, space, patch.parent_id ? [id, patch.parent_id] : [id])
    if (!entry) throw invalid('content_data_id', 'no such entry')
    check?.(entry)
    await staging.snapshotBeforeEdit(tx, [entry, parent])
    if (patch.datatype_id && patch.datatype_id !== entry.datatype_id) await refuseValues(tx, space, id)
    const place = await relocate(tx, entry, parent, patch)
    const { after, changed } = await tx.update(contentData, id, {
      ...patch,
      ...place,
      ...withStatus(tx, actor, entry, patch.status),
    })
    const written = fields
      ? await writeValues(tx, space, after, fields, { author_id: actor.userId ?? after.author_id, locale })
      : 0
    if (after.status === entry.status) {
      if (changed || written > 0)
        await events.edited(tx, actor, after, () => affectedByUpdate(tx, entry, after))
      return after
    }
    if (after.status === 'published') await staging.publishEntry(tx, after)
    else await staging.unpublish(tx, after.root_id, [id])
    // What is under it is seen no more, or again.
    await emitStatus(tx, actor, after, async () => ({ ids: await subtreeIds(tx, space, after) }))
    return after
  }

  /** What an update concerns: after a move all that is under the entry, and the page that it was on. */
  async function affectedByUpdate(tx: Writer, before: Entry, after: Entry): Promise<AffectedContent> {
    const { content_data_id, route_id } = after
    if (before.parent_id === after.parent_id && before.route_id === route_id)
      return { ids: [content_data_id] }
    const left =
      before.route_id && before.route_id !== route_id && (await tx.get(space.routes, before.route_id))
    return {
      ids: await subtreeIds(tx, space, after),
      roots: [before.root_id],
      slugs: left ? [left.slug] : [],
    }
  }

  /** @returns whether anything changed */
  async function setOrders(tx: Writer, orders: readonly { id: string; order: number }[]): Promise<boolean> {
    let any = false
    for (const { id, order } of orders) {
      const { changed } = await tx.update(contentData, id, { sort_order: order })
      any ||= changed
    }
    return any
  }

  return {
    ...reads(db, contentData),
    create: (actor, input) => db.write(actor, tx => create(tx, actor, input)),
    update: (actor, id, patch, check) => db.write(actor, tx => update(tx, actor, id, patch, check)),
    remove: (actor, id, check, withChildren = false) =>
      db.write(actor, async tx => {
        const [entry] = await lockTrees(tx, space, [id])
        if (!entry) return
        check?.(entry)
        if (!withChildren && (await tx.exists(contentData, { parent_id: id })))
          throw conflict('the entry still has child entries')
        await staging.snapshotBeforeEdit(tx, [entry])
        // What the public still sees is told to be deleted when it is.
        const waits = entry.root_id !== id && (await staging.isPublic(tx, entry))
        const ids = withChildren ? await subtreeIds(tx, space, entry) : [id]
        await tx.removeAll(space.contentFields, await tx.findIn(space.contentFields, 'content_data_id', ids))
        await tx.removeAll(
          space.contentVersions,
          await tx.findIn(space.contentVersions, 'content_data_id', ids),
        )
        await tx.removeAll(contentData, await tx.findIn(contentData, 'content_data_id', ids))
        if (entry.root_id === id) {
          await tx.dropTree(space.contentTrees, id)
          await staging.dropSnapshot(tx, id)
        }
        if (!waits) await events.deleted(tx, actor, entry, async () => ({ ids }))
      }),
    move: (actor, { content_data_id, parent_id, position }) =>
      db.write(actor, async tx => {
        await staging.snapshotBeforeEdit(tx, await lockTrees(tx, space, [content_data_id, parent_id]))
        if (position === undefined) {
          const sort_order = await lastPosition(tx, space, parent_id)
          return update(tx, actor, content_data_id, { parent_id, sort_order })
        }
        const children = await tx.findAll(contentData, { parent_id }, { order: 'sort_order' })
        const others = children.filter(child => child.content_data_id !== content_data_id)
        const { order, shifted } = orderAt(others, position)
        await setOrders(tx, shifted)
        return update(tx, actor, content_data_id, { parent_id, sort_order: order })
      }),
    reorder: (actor, { parent_id, content_data_ids }) =>
      db.write(actor, async tx => {
        const [parent] = await lockParent(tx, space, parent_id)
        await staging.snapshotBeforeEdit(tx, [parent])
        const children = await tx.findAll(contentData, { parent_id })
        const given = new Set(content_data_ids)
        if (given.size !== content_data_ids.length || given.size !== children.length)
          throw invalid('content_data_ids', 'must name every child of the parent once')
        for (const { content_data_id } of children)
          if (!given.has(content_data_id))
            throw invalid('content_data_ids', 'must name every child of the parent once')
        const changed = await setOrders(tx, ordersOf(content_data_ids))
        if (parent && changed) await events.edited(tx, actor, parent, async () => ({ ids: [] }))
        return tx.findAll(contentData, { parent_id }, { order: 'sort_order' })
      }),
  }
}

/** What changes with the status: when it was published, by whom, and the plan that is done. */
function withStatus(
  tx: Writer,
  actor: Actor,
  { status }: Entry,
  wanted: Patch['status'],
): PatchOf<ContentSpace['contentData']> {
  if (wanted === 'published' && status !== 'published')
    return { published_at: tx.now, published_by: actor.userId, publish_at: null }
  return wanted === 'draft' && status === 'published' ? { unpublish_at: null } : {}
}

/** The parent with the lock of its tree. @throws 400 when there is none */
async function lockParent(tx: Writer, space: ContentSpace, id: string): Promise<Entry[]> {
  if (!(await tx.exists(space.contentData, { content_data_id: id })))
    throw missingReference('parent_id', space.contentData.name)
  return lockTrees(tx, space, [id])
}

async function refuseValues(tx: Writer, space: ContentSpace, content_data_id: string): Promise<void> {
  if (await tx.exists(space.contentFields, { content_data_id }))
    throw conflict('datatype_id cannot change while the entry has field values')
}
