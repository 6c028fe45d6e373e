import type { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace, EntryRow } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { badRequest, conflict, invalid, notFound } from '../../errors.js'
import { type Check, reads } from '../crud.js'
import type { ContentCreate, ContentMove, ContentReorder, ContentUpdate } from './content-input.js'
import type { ContentContext } from './context.js'
import { editParent, editTree } from './edit-trees.js'
import { setOrders } from './entry-rows.js'
import { makeContent, makePage } from './make-content.js'
import { atFreeSlug, wantedSlug } from './page-slugs.js'
import { ordersOf, readSubtree } from './placement.js'
import { hasPendingChanges, isPublic } from './public-state.js'
import { type PageCreate, type RouteUpdate, updateRoute } from './routes.js'
import { trashEntries } from './trash.js'
import { moveEntry, updateContent } from './update-entry.js'

type Create = z.output<typeof ContentCreate>
type Update = z.output<typeof ContentUpdate>
type Reorder = z.output<typeof ContentReorder>

interface PageChange {
  route: { patch: z.output<typeof RouteUpdate>; check?: Check<RowOf<ContentSpace['routes']>> }
  entry?: { patch: Update; check?: Check<EntryRow> } | undefined
}

/** More changes in the same transaction. */
interface Beside {
  /** Before the change; it may refuse it. */
  before?: (tx: Writer) => Promise<void>
  /** After the change. @param root the root of the tree */
  after?: (tx: Writer, root: string) => Promise<void>
}

type RemovalCheck = (before: EntryRow, under: readonly EntryRow[]) => void

/** Entries of content trees, for one content space. */
export function content(context: ContentContext) {
  const { db, space } = context
  return {
    ...reads(db, space.contentData),
    /** @returns the entry, and what was made under it where the request says so */
    create: (actor: Actor, given: Create) => db.write(actor, tx => makeContent(tx, context, actor, given)),
    /** Makes a route and the tree on it together: without an address at one that is made from the title. */
    async createPage(
      actor: Actor,
      { slug: own, ...given }: z.output<typeof PageCreate>,
      { after }: Pick<Beside, 'after'> = {},
    ) {
      const make = (slug: string) =>
        db.write(actor, async tx => {
          const page = await makePage(tx, context, actor, { ...given, slug })
          await after?.(tx, page.entry.root_id)
          return page
        })
      if (own !== undefined) return make(own)
      return atFreeSlug(db, space, await wantedSlug(db, space, given.title, given.datatype_id), make)
    },
    /** Changes an entry, and title and address of the page that it is, together. @throws 400 when it is no page */
    updatePage: (actor: Actor, id: string, change: PageChange) =>
      db.edit(actor, async tx => {
        const { route_id } = (await tx.get(space.contentData, id)) ?? {}
        if (!route_id) throw badRequest('content_data_id: this entry is not a page', 'content_data_id')
        await updateRoute(tx, context, actor, { id: route_id, ...change.route })
        if (change.entry) await updateContent(tx, context, actor, { id, ...change.entry })
      }),
    /** @returns the entry, and what was changed or made under it where the request says so */
    update: (
      actor: Actor,
      id: string,
      patch: Update,
      check?: Check<EntryRow>,
      { before, after }: Beside = {},
    ) =>
      db.edit(actor, async tx => {
        await before?.(tx)
        const entry = await updateContent(tx, context, actor, { id, patch, check })
        await after?.(tx, entry.root_id)
        return entry
      }),
    /** @throws 409 when the entry has child entries, unless they go with it */
    remove: (actor: Actor, id: string, check?: RemovalCheck, withChildren: boolean = false) =>
      db.write(actor, tx => removeEntry(tx, context, actor, { id, check, withChildren })),
    /** An entry and everything under it, parents first. @throws 404; 400 when they are too many to go together */
    async subtree(id: string) {
      const entry = await db.get(space.contentData, id)
      if (!entry) throw notFound()
      return [entry, ...(await entriesUnder(db, space, entry))]
    },
    /** @throws 400 `Circular reference detected` under itself */
    move: (actor: Actor, move: z.output<typeof ContentMove>, check?: Check<EntryRow>) =>
      db.edit(actor, tx => moveEntry(tx, context, actor, move, check)),
    /** @returns the children in their new order */
    reorder: (actor: Actor, order: Reorder) => db.edit(actor, tx => reorder(tx, context, actor, order)),
  }
}

/** Takes an entry to the trash. @throws 409 when it has child entries, unless they go with it */
export async function removeEntry(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  {
    id,
    check,
    withChildren = false,
  }: { id: string; check?: RemovalCheck | undefined; withChildren?: boolean | undefined },
): Promise<void> {
  const { space, events } = context
  const entry = await editTree(tx, context, id, async found => {
    check?.(found, withChildren ? await entriesUnder(tx, space, found) : [])
    if (!withChildren && (await tx.exists(space.contentData, { parent_id: id })))
      throw conflict('the entry still has child entries')
  })
  // The deletion of what the public still sees is announced when it becomes public.
  const isPending =
    entry.root_id !== id &&
    (await hasPendingChanges(tx, space, entry.root_id)) &&
    (await isPublic(tx, space, entry))
  const entries = withChildren ? await readSubtree(tx, space, entry, 'bulk') : [entry]
  await trashEntries(tx, context, entry, entries)
  const ids = entries.map(({ content_data_id }) => content_data_id)
  if (!isPending) await events.deleted(tx, actor, entry, async () => ({ ids }))
}

async function entriesUnder(read: Reader, space: ContentSpace, entry: EntryRow): Promise<EntryRow[]> {
  const [, ...under] = await readSubtree(read, space, entry, 'bulk')
  return under
}

async function reorder(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  { parent_id, content_data_ids }: Reorder,
): Promise<EntryRow[]> {
  const { space, events } = context
  const parent = await editParent(tx, context, parent_id)
  const children = await tx.findAll(space.contentData, { parent_id })
  const given = new Set(content_data_ids)
  const isEachOnce = given.size === content_data_ids.length && given.size === children.length
  if (!isEachOnce || !children.every(({ content_data_id }) => given.has(content_data_id)))
    throw invalid('content_data_ids', 'must contain every child of the parent exactly once')
  const changed = await setOrders(tx, space, parent, ordersOf(content_data_ids))
  if (changed) await events.edited(tx, actor, parent, async () => ({ ids: [] }))
  return tx.findAll(space.contentData, { parent_id }, { order: 'sort_order' })
}
