import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { EntryRow } from '../../db/tables.js'
import { type ContentSpace, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { badRequest, notFound } from '../../errors.js'
import { reference } from '../body-parts.js'
import type { ContentContext } from './context.js'
import { type EditableEntry, editParentOfCopy, type HeldEntry } from './edit-trees.js'
import { insertEntries } from './entry-rows.js'
import { atFreeSlug } from './page-slugs.js'
import { checkedPlace, lastPosition, type Place, subtreeOf } from './placement.js'
import { insertRoute } from './routes.js'
import { routeOf } from './write-values.js'

export const Duplicate = z.object({
  content_data_id: reference,
  parent_id: reference.nullable().default(null),
  route_id: reference.nullable().default(null),
})

interface Copy {
  source: HeldEntry
  parent: EditableEntry | undefined
  place: Place
  /** The id of the copy of an entry that is copied; any other id is itself. */
  idOf: (id: string) => string
  author_id: string
}

export const contentCopies = (context: ContentContext) => ({
  /**
   * Copies an entry with everything under it, all as drafts: last under `parent_id`, or onto `route_id`. What refers
   * to an entry of the subtree refers to its copy in the copy.
   * @returns the copy of the entry
   */
  duplicate: (actor: Actor, given: z.output<typeof Duplicate>) =>
    context.db.write(actor, tx => duplicate(tx, context, actor, given)),
  /**
   * Copies a page with everything in it, as a draft with a title of its own at an address that is free.
   * @returns the copy of its root
   * @throws 404, and 400 for an entry that is no page
   */
  async duplicatePage(actor: Actor, content_data_id: string): Promise<EntryRow> {
    const { db, space } = context
    const source = await db.get(space.contentData, content_data_id)
    if (!source) throw notFound()
    const route = source.route_id === null ? undefined : await db.get(space.routes, source.route_id)
    if (!route) throw badRequest('content_data_id: this entry is not a page', 'content_data_id')
    const author_id = actor.userId ?? route.author_id
    return atFreeSlug(db, space, route.slug, slug =>
      db.write(actor, async tx => {
        const named = { slug, title: copyTitle(route.title), translations: await titlesOfCopy(tx, route) }
        const { route_id } = await insertRoute(tx, space, { ...named, status: route.status, author_id })
        return duplicate(tx, context, actor, { content_data_id, parent_id: null, route_id })
      }),
    )
  },
})

const maxTitle = 1024
const copyMark = ' (copy)'
const copyTitle = (title: string): string =>
  `${title.slice(0, maxTitle - copyMark.length).trimEnd()}${copyMark}`

async function titlesOfCopy(tx: Writer, { translations }: RowOf<ContentSpace['routes']>) {
  const known = await tx.findIn(tables.locales, 'code', Object.keys(translations))
  const titles = known.flatMap(({ code }) => {
    const title = translations[code]?.title
    return title ? [[code, { title: copyTitle(title) }] as const] : []
  })
  return titles.length > 0 ? Object.fromEntries(titles) : undefined
}

async function duplicate(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  { content_data_id, parent_id, route_id }: z.output<typeof Duplicate>,
): Promise<EntryRow> {
  const { space } = context
  const { source, parent } = await editParentOfCopy(tx, context, { id: content_data_id, parent_id })
  const place = await checkedPlace(tx, space, source.datatype_id, { parent_id, route_id }, parent)
  const entries = await subtreeOf(tx, space, source)
  const copyOf = new Map(entries.map(entry => [entry.content_data_id, tx.newId()]))
  const idOf = (id: string) => copyOf.get(id) ?? id
  const copy: Copy = { source, parent, place, idOf, author_id: actor.userId ?? source.author_id }
  const [entry] = await copyEntries(tx, space, copy, entries)
  await copyValues(tx, space, copy, [...copyOf.keys()])
  return entry as EntryRow
}

async function copyEntries(
  tx: Writer,
  space: ContentSpace,
  { source, parent, place, idOf, author_id }: Copy,
  entries: readonly EntryRow[],
): Promise<EntryRow[]> {
  const sort_order = await lastPosition(tx, space, place.parent_id)
  const copied = (entry: EntryRow, at: Partial<Place> & { sort_order: number }) => ({
    content_data_id: idOf(entry.content_data_id),
    datatype_id: entry.datatype_id,
    ...at,
    status: 'draft',
    author_id,
  })
  const others = entries.filter(({ content_data_id }) => content_data_id !== source.content_data_id)
  return insertEntries(tx, space, parent, [
    copied(source, { ...place, sort_order }),
    ...others.map(entry =>
      copied(entry, {
        parent_id: entry.parent_id && idOf(entry.parent_id),
        sort_order: entry.sort_order,
      }),
    ),
  ])
}

async function copyValues(
  tx: Writer,
  space: ContentSpace,
  { parent, place, idOf, author_id }: Copy,
  ids: readonly string[],
): Promise<void> {
  const values = await tx.findIn(space.contentFields, 'content_data_id', ids)
  const relations = new Set(
    (await tx.findAll(space.fields, { field_type: 'relation' })).map(({ field_id }) => field_id),
  )
  const route_id = parent ? await routeOf(tx, space, parent) : place.route_id
  await tx.insertAll(
    space.contentFields,
    values.map(({ content_data_id, field_id, locale, field_value }) => ({
      content_data_id: idOf(content_data_id),
      field_id,
      locale,
      field_value: relations.has(field_id)
        ? field_value.replaceAll(/[0-7][0-9A-HJKMNP-TV-Z]{25}/g, idOf)
        : field_value,
      route_id,
      author_id,
    })),
  )
}
