import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace, EntryRow } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { badRequest, notFound } from '../../errors.js'
import { limits } from '../../limits.js'
import type { Check } from '../crud.js'
import type { ContentContext } from './context.js'
import { editForModel } from './edit-trees.js'
import { removeEntries } from './entry-rows.js'
import { invalidatePublicPage } from './public-state.js'
import { leavePublic } from './staging.js'
import { refuseBeyond, refuseLarge } from './subtree-limits.js'
import { trashEntries } from './trash.js'

/** The records that can be deleted together with everything that depends on them. */
export type CascadeKind = 'routes' | 'fields' | 'datatypes'

const number = z.int()
export const Removal = z
  .object({
    routes: number,
    datatypes: number,
    fields: number,
    entries: number,
    values: number,
    versions: number,
  })
  .meta({ description: 'The number of deleted records.' })

interface Doomed {
  datatypes: RowOf<ContentSpace['datatypes']>[]
  fields: RowOf<ContentSpace['fields']>[]
  entries: EntryRow[]
  roots: string[]
  values: number
}

const maxTrees = 1000

export function cascades(context: ContentContext) {
  const { db, space } = context
  return {
    /**
     * Counts what `remove` would delete now, or the deletion of an entry with everything under it. Nothing changes.
     * @throws 404; 400 when it is too much for one transaction
     */
    async count(kind: CascadeKind | 'content', id: string) {
      if (!(await db.get(kind === 'content' ? space.contentData : space[kind], id))) throw notFound()
      const { datatypes, fields, entries, values } = await doomedBy(db, space, kind, id)
      let versions = 0
      for (const some of pieces(entries.map(entry => entry.content_data_id)))
        versions += await db.count(space.contentVersions, { content_data_id: some })
      const lengths = { datatypes: datatypes.length, fields: fields.length, entries: entries.length }
      return { routes: kind === 'routes' ? 1 : 0, ...lengths, values, versions }
    },
    /**
     * Deletes a route with the tree on it, a field with its values, or a datatype with those under it, their fields and
     * their entries with everything under these. Addresses of pages stay when their datatype goes.
     * @param refuse may refuse the deletion by the entries that go
     * @throws 404; 400 when it is too much for one transaction
     */
    remove: (
      actor: Actor,
      kind: CascadeKind,
      id: string,
      check?: Check<unknown>,
      refuse?: (entries: readonly EntryRow[]) => void,
    ) =>
      db.write(actor, async tx => {
        const before = await tx.lock(space[kind], id)
        check?.(before)
        const { roots } = await doomedBy(tx, space, kind, id)
        const held = await editForModel(tx, space, roots)
        // Read again under the locks; what has come into another tree meanwhile refuses the deletion.
        const doomed = await doomedBy(tx, space, kind, id)
        refuse?.(doomed.entries)
        if (kind === 'fields') await removeValues(tx, space, id)
        if (kind === 'datatypes')
          await leavePublic(tx, space, 'datatype_id', doomed.datatypes.map(idOfDatatype))
        for (const root of held) {
          const own = doomed.entries.filter(({ root_id }) => root_id === root.content_data_id)
          const ids = own.map(({ content_data_id }) => content_data_id)
          // Entries of a deleted datatype could not be restored without it.
          await (kind === 'routes'
            ? trashEntries(tx, context, root, own)
            : removeEntries(tx, space, root, ids))
          await leavePublic(tx, space, 'content_data_id', ids)
          if (!ids.includes(root.content_data_id)) await invalidatePublicPage(tx, space, root.content_data_id)
        }
        await announce(tx, context, actor, doomed.entries)
        await tx.removeAll(space.fields, doomed.fields)
        await tx.removeAll(space.datatypes, doomed.datatypes)
        if (kind !== 'routes') return
        await context.redirects?.removed(tx, id)
        await tx.remove(space.routes, id)
      }),
  }
}

const idOfDatatype = ({ datatype_id }: { readonly datatype_id: string }) => datatype_id

const pieces = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / 500) }, (_, i) => ids.slice(i * 500, (i + 1) * 500))

async function doomedBy(
  read: Reader,
  space: ContentSpace,
  kind: CascadeKind | 'content',
  id: string,
): Promise<Doomed> {
  const doomed = kind === 'fields' ? await byField(read, space, id) : await byEntries(read, space, kind, id)
  if (doomed.roots.length > maxTrees)
    throw badRequest(
      `this affects ${doomed.roots.length} trees, and one request can delete at most ${maxTrees}: delete some of them first`,
    )
  return doomed
}

async function byField(read: Reader, space: ContentSpace, id: string): Promise<Doomed> {
  const values = await read.count(space.contentFields, { field_id: id }, limits.content.bulkValues + 1)
  refuseBeyond({ values }, 'bulk', 'the entries with this field', 'upToLimit')
  const rows = await read.findAll(space.contentFields, { field_id: id })
  const ids = [...new Set(rows.map(({ content_data_id }) => content_data_id))]
  const entries = await read.findIn(space.contentData, 'content_data_id', ids)
  const fields = await read.findAll(space.fields, { field_id: id })
  return { datatypes: [], fields, entries: [], roots: rootsOf(entries), values }
}

async function byEntries(
  read: Reader,
  space: ContentSpace,
  kind: 'routes' | 'datatypes' | 'content',
  id: string,
): Promise<Doomed> {
  const datatypes = kind === 'datatypes' ? await datatypesUnder(read, space, id) : []
  const ids = datatypes.map(({ datatype_id }) => datatype_id)
  const where = {
    routes: { route_id: id },
    content: { content_data_id: id },
    datatypes: { datatype_id: ids },
  }[kind]
  const found = await read.count(space.contentData, where, limits.content.bulkEntries + 1)
  refuseBeyond({ entries: found }, 'bulk', 'the entries and what is under them', 'upToLimit')
  const entries = await withThoseUnder(read, space, await read.findAll(space.contentData, where))
  const { values } = await refuseLarge(
    read,
    space,
    entries.map(({ content_data_id }) => content_data_id),
    'bulk',
  )
  const fields = await read.findIn(space.fields, 'parent_id', ids)
  return { datatypes, fields, entries, roots: rootsOf(entries), values }
}

const rootsOf = (entries: readonly EntryRow[]) => [...new Set(entries.map(({ root_id }) => root_id))]

async function datatypesUnder(read: Reader, space: ContentSpace, id: string) {
  const all = await read.findAll(space.datatypes)
  const found = all.filter(({ datatype_id }) => datatype_id === id)
  for (const { datatype_id } of found) found.push(...all.filter(({ parent_id }) => parent_id === datatype_id))
  return found
}

async function withThoseUnder(
  read: Reader,
  { contentData }: ContentSpace,
  tops: readonly EntryRow[],
): Promise<EntryRow[]> {
  const found = new Map(tops.map(entry => [entry.content_data_id, entry]))
  for (let level = [...found.keys()]; level.length > 0; ) {
    const under = (await read.findIn(contentData, 'parent_id', level)).filter(
      ({ content_data_id }) => !found.has(content_data_id),
    )
    for (const entry of under) found.set(entry.content_data_id, entry)
    refuseBeyond({ entries: found.size }, 'bulk')
    level = under.map(({ content_data_id }) => content_data_id)
  }
  return [...found.values()]
}

async function removeValues(
  tx: Writer,
  { contentFields, publicValues }: ContentSpace,
  field_id: string,
): Promise<void> {
  await tx.removeAll(contentFields, await tx.findAll(contentFields, { field_id }))
  await tx.deleteAllInternal(publicValues, 'field_id', [field_id])
}

/** One event for each deleted subtree, with the entry that all the others were under. */
async function announce(
  tx: Writer,
  { events }: ContentContext,
  actor: Actor,
  entries: readonly EntryRow[],
): Promise<void> {
  const byId = new Map(entries.map(entry => [entry.content_data_id, entry]))
  const subtrees = new Map<EntryRow, string[]>()
  for (const entry of entries) {
    let top = entry
    for (let above = byId.get(top.parent_id ?? ''); above; above = byId.get(top.parent_id ?? '')) top = above
    const ids = subtrees.get(top)
    if (ids) ids.push(entry.content_data_id)
    else subtrees.set(top, [entry.content_data_id])
  }
  for (const [top, ids] of subtrees) await events.deleted(tx, actor, top, async () => ({ ids }))
}
