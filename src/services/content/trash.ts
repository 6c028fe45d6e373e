import { z } from 'zod'
import { type Actor, authorOf, systemActor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { ContentSpace, EntryRow } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { timestamp } from '../../ids.js'
import type { Clock } from '../../ports.js'
import { reference } from '../body-parts.js'
import { type Check, reads } from '../crud.js'
import type { ContentContext } from './context.js'
import type { EditableEntry } from './edit-trees.js'
import { removeEntries } from './entry-rows.js'
import { atFreeSlug } from './page-slugs.js'
import { firstEntries, readDeleted, storePieces } from './trash-pieces.js'
import { type Restored, restoreDeleted } from './trash-restore.js'

/** Deleted content: a deletion takes entries out of both books and stores them here with all that is theirs (D-875). */

export type Trashed = RowOf<ContentSpace['trash']>

export const TrashRestore = z.object({ trash_id: reference })
export const TrashRestored = z.object({
  content_data_id: z.string(),
  slug: z.string().nullable().meta({
    description:
      'The address of the page. It is a new one if the old one is taken, and null if the entry is not a page.',
  }),
  missing_fields: z
    .array(z.string())
    .meta({ description: 'Fields that no longer exist; their values are gone.' }),
})

/** The rights of a caller on entries in the trash, by their ids there. */
export interface MayChangeTrashed {
  restore(trashId: string): boolean
  remove(trashId: string): boolean
}

const removedAtOnce = 100

const maxTitle = 1024

interface Needs {
  clock: Clock
  retentionMs: () => number
}

/** The trash of one content space. */
export function trash(context: ContentContext, { clock, retentionMs }: Needs) {
  const { db, space } = context
  const table = space.trash
  return {
    ...reads(db, table),
    retentionMs,
    /**
     * Answers what the caller may do with deleted entries, as their restoration and their removal decide it. Of a very
     * large tree only the first entries are read. The permission to delete content is asked of the access service.
     */
    async mayChange(actor: Actor, trashed: readonly Trashed[]): Promise<MayChangeTrashed> {
      let read: ReturnType<typeof firstEntries> | undefined
      const first = async (id: string) => {
        const ids = trashed.map(({ trash_id }) => trash_id)
        read ??= firstEntries(db, space, ids)
        return (await read).get(id)
      }
      const authorOf = async ({ trash_id }: Trashed) => (await first(trash_id))?.author_id ?? null
      const { restore, remove } = await context.limits.mayChangeTrashed(actor, trashed, authorOf)
      const published = new Set<string>()
      if (!(await context.mayPublish(actor)))
        for (const id of restore) if ((await first(id))?.isPublished) published.add(id)
      return { restore: id => restore.has(id) && !published.has(id), remove: id => remove.has(id) }
    },
    /**
     * Brings deleted entries back with their ids, values, versions and place, and the page at its address or, where
     * that is taken, at one like it.
     * @throws 404; 409 that says why it cannot be: its datatype or what it was under is gone, or it is back already; 400
     * and 403 as for a publication, where the public would see it
     */
    async restore(actor: Actor, id: string): Promise<Restored> {
      const slug = (await db.get(table, id))?.slug
      const make = (free: string) => db.write(actor, tx => restore(tx, context, actor, { id, slug: free }))
      return slug ? atFreeSlug(db, space, slug, make) : make('')
    },
    /** Deletes for good what is in the trash. @throws 404 */
    remove: (actor: Actor, id: string, check?: Check<Trashed>) =>
      db.write(actor, async tx => {
        check?.(await tx.lock(table, id))
        await removeTrashed(tx, space, [id])
      }),
    async removeOld() {
      const before = timestamp(clock.now() - retentionMs())
      for (;;) {
        const oldest = await db.findAll(table, {}, { limit: removedAtOnce, order: 'deleted_at' })
        const ids = oldest.flatMap(({ trash_id, deleted_at }) => (deleted_at < before ? [trash_id] : []))
        if (ids.length === 0) return
        await db.write(systemActor, tx => removeTrashed(tx, space, ids))
      }
    },
  }
}

async function removeTrashed(tx: Writer, space: ContentSpace, ids: readonly string[]): Promise<void> {
  const rows = await tx.lockIn(space.trash, 'trash_id', ids)
  await tx.deleteAllInternal(space.trashPieces, 'trash_id', ids)
  await tx.removeAll(space.trash, rows)
}

/**
 * Takes entries of one tree out of it, and puts them into the trash with all that is theirs. Their route stays.
 * @param root an entry of the tree
 * @param entries the deleted entry and everything under it, parents first
 */
export async function trashEntries(
  tx: Writer,
  { space, keepsDeleted }: Pick<ContentContext, 'space' | 'keepsDeleted'>,
  root: EditableEntry,
  entries: readonly EntryRow[],
): Promise<void> {
  const ids = entries.map(({ content_data_id }) => content_data_id)
  const [top] = entries
  if (!top || !keepsDeleted()) return removeEntries(tx, space, root, ids)
  const deleted = await readDeleted(tx, space, entries)
  const { content_data_id, datatype_id, parent_id } = top
  const { trash_id } = await tx.insert(space.trash, {
    ...{ content_data_id, datatype_id, parent_id },
    title: await titleOf(tx, space, top, deleted),
    slug: deleted.routes[0]?.slug ?? null,
    entries: ids.length,
    deleted_by: tx.userId,
  })
  await storePieces(tx, space, trash_id, deleted)
  await removeEntries(tx, space, root, ids, deleted)
}

async function titleOf(
  tx: Writer,
  space: ContentSpace,
  { content_data_id, datatype_id }: EntryRow,
  { routes: [route], values }: Awaited<ReturnType<typeof readDeleted>>,
): Promise<string> {
  if (route?.title) return route.title
  const fields = await tx.findAll(space.fields, { parent_id: datatype_id }, { order: 'sort_order' })
  const first = fields.find(({ field_type }) => field_type === 'text')?.field_id
  const own = values.filter(
    value =>
      value.content_data_id === content_data_id && value.field_id === first && value.field_value !== '',
  )
  const text = own.toSorted((a, b) => (a.locale < b.locale ? -1 : 1))[0]?.field_value
  const title = text ?? (await tx.get(space.datatypes, datatype_id))?.label ?? ''
  return [...title.slice(0, 2 * maxTitle)].slice(0, maxTitle).join('')
}

async function restore(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  { id, slug }: { id: string; slug: string },
): Promise<Restored> {
  await tx.lock(context.space.trash, id)
  const restored = await restoreDeleted(tx, context, actor, {
    id,
    slug,
    author_id: authorOf(actor, undefined),
  })
  await removeTrashed(tx, context.space, [id])
  return restored
}
