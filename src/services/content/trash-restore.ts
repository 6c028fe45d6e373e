import type { Actor } from '../../actor.js'
import type { EntryRow, RouteRow } from '../../db/tables.js'
import { type ContentSpace, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict } from '../../errors.js'
import { mayBePublic, valueRows } from './book-rows.js'
import type { ContentContext } from './context.js'
import { type EditableEntry, editParent } from './edit-trees.js'
import { insertEntries } from './entry-rows.js'
import { hasPendingChanges } from './public-state.js'
import { refusePublished } from './publication.js'
import { refuseBroken } from './publication-check.js'
import { existingAuthors } from './restore.js'
import { restoreReview } from './review-rows.js'
import { indexTranslations, refuseSlugs, slugsInTurn } from './route-translations.js'
import { storeVersion } from './store-version.js'
import { type Deleted, readPieces } from './trash-pieces.js'
import { hiddenDatatypes } from './visibility.js'

/** Brings deleted entries back: with their ids, and as they were. */

export interface Restored {
  content_data_id: string
  slug: string | null
  missing_fields: string[]
}

interface Request {
  id: string
  /** An address that is free, for a page whose own is taken. */
  slug: string
  /** Who has written what a user wrote who is gone. */
  author_id: string
}

export async function restoreDeleted(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  { id, slug, author_id }: Request,
): Promise<Restored> {
  const { space } = context
  const deleted = await readPieces(tx, space, id)
  const [top] = deleted.entries
  if (!top) throw conflict('there is nothing to restore')
  await refusePublished(context, actor, [...deleted.entries, ...deleted.publicEntries])
  await refuseWithoutPlace(tx, space, deleted.entries)
  const parent = top.parent_id === null ? undefined : await editParent(tx, context, top.parent_id)
  const { entries: rows, values, routes, comments, reviewRequests } = deleted
  const written = [...rows, ...values, ...routes, ...comments, ...reviewRequests]
  const authors = await existingAuthors(tx, written, author_id)
  const route = await restoreRoute(tx, space, deleted, slug, authors)
  const [first, ...others] = deleted.entries.map(entry => ({
    ...withoutPastPlan(entry, tx.now),
    author_id: authors(entry),
    ...(entry === top && { route_id: route?.route_id ?? null }),
  }))
  if (!first) throw conflict('there is nothing to restore')
  const entries = await insertEntries(tx, space, parent, [first, ...others])
  const routeOfTree = parent ? await routeOfRoot(tx, space, parent) : (route?.route_id ?? null)
  const missing_fields = await restoreValues(tx, space, deleted, routeOfTree, authors)
  await tx.insertAll(space.contentVersions, deleted.versions)
  await tx.insertAllInternal(space.contentPlans, deleted.plans)
  await restoreReview(tx, deleted, authors)
  await restorePublic(tx, context, deleted, route)
  if (route) await restoreRedirects(tx, space, deleted, route, author_id)
  await announce(tx, context, actor, entries, deleted)
  return { content_data_id: top.content_data_id, slug: route?.slug ?? null, missing_fields }
}

/** @throws 409 that says what is missing, or that the entries are there */
async function refuseWithoutPlace(
  tx: Writer,
  space: ContentSpace,
  entries: readonly EntryRow[],
): Promise<void> {
  const ids = entries.map(({ content_data_id }) => content_data_id)
  if ((await tx.findIn(space.contentData, 'content_data_id', ids)).length > 0)
    throw conflict('the entry exists already: restoring a version brought it back')
  const parent_id = entries[0]?.parent_id
  if (parent_id && !(await tx.exists(space.contentData, { content_data_id: parent_id })))
    throw conflict('its parent entry is deleted: restore that entry first')
  const kinds = [...new Set(entries.map(({ datatype_id }) => datatype_id))]
  const known = await tx.findIn(space.datatypes, 'datatype_id', kinds)
  if (known.length < kinds.length) throw conflict('its datatype is deleted: it cannot be restored')
}

/** A publication that was planned for a time that is over does not happen at once. */
const withoutPastPlan = (entry: EntryRow, now: string): EntryRow =>
  entry.publish_at !== null && entry.publish_at <= now ? { ...entry, publish_at: null } : entry

const routeOfRoot = async (tx: Writer, { contentData }: ContentSpace, { root_id }: EditableEntry) =>
  (await tx.get(contentData, root_id))?.route_id ?? null

/** The route of a page: its own where no other entry is on it, or one that is made again. */
async function restoreRoute(
  tx: Writer,
  space: ContentSpace,
  { routes: [route] }: Deleted,
  slug: string,
  authors: (row: RouteRow) => string,
): Promise<RouteRow | undefined> {
  if (!route) return undefined
  await slugsInTurn(tx, space, true)
  const { route_id } = route
  const there = await tx.get(space.routes, route_id)
  if (there && !(await tx.exists(space.contentData, { route_id }))) return there
  const row = {
    ...route,
    slug,
    author_id: authors(route),
    translations: await freeTranslations(tx, space, route),
  }
  const { route_id: _, ...another } = row
  await refuseSlugs(tx, space, row)
  const made = await tx.insert(space.routes, there ? another : row)
  await indexTranslations(tx, space, made)
  return made
}

async function freeTranslations(
  tx: Writer,
  space: ContentSpace,
  { translations }: RouteRow,
): Promise<RouteRow['translations']> {
  const slugs = Object.values(translations).flatMap(own => own.slug ?? [])
  const locales = await tx.findIn(tables.locales, 'code', Object.keys(translations))
  const taken = new Set([
    ...(await tx.findIn(space.routes, 'slug', slugs)).map(({ slug }) => slug),
    ...(await tx.findIn(space.routeTranslations, 'slug', slugs)).map(({ slug }) => slug),
  ])
  return Object.fromEntries(
    locales.flatMap(({ code }) => {
      const { slug, title } = translations[code] ?? {}
      const own = { ...(slug && !taken.has(slug) && { slug }), ...(title && { title }) }
      return Object.keys(own).length > 0 ? [[code, own] as const] : []
    }),
  )
}

/** @returns the ids of fields that no longer exist */
async function restoreValues(
  tx: Writer,
  space: ContentSpace,
  { values }: Deleted,
  route_id: string | null,
  authors: (row: { author_id: string }) => string,
): Promise<string[]> {
  const ids = [...new Set(values.map(({ field_id }) => field_id))]
  const fields = new Set((await tx.findIn(space.fields, 'field_id', ids)).map(({ field_id }) => field_id))
  const rows = values.filter(({ field_id }) => fields.has(field_id))
  await tx.insertAll(
    space.contentFields,
    rows.map(value => ({ ...value, route_id, author_id: authors(value) })),
  )
  return ids.filter(field => !fields.has(field))
}

/** A page that had unpublished changes has them again, and the public sees what it saw. */
async function restorePublic(
  tx: Writer,
  { space, isStaged }: ContentContext,
  { pending: [since], publicEntries, publicValues }: Deleted,
  route: RouteRow | undefined,
): Promise<void> {
  if (since === undefined || !isStaged()) return
  const hidden = await hiddenDatatypes(tx, space)
  const shown = publicEntries.filter(mayBePublic(hidden))
  const ids = new Set(shown.map(({ content_data_id }) => content_data_id))
  const root = publicEntries.find(({ parent_id }) => parent_id === null)?.content_data_id ?? ''
  const rows = shown.map(entry => ({
    ...entry,
    route_id: entry.parent_id === null ? (route?.route_id ?? null) : null,
    published_at: entry.published_at ?? entry.date_created,
  }))
  await tx.updateInternal(space.contentTrees, [root], { pending_since: since })
  await tx.insertAllInternal(space.publicEntries, rows)
  const values = publicValues.filter(({ content_data_id }) => ids.has(content_data_id))
  await tx.insertAllInternal(
    space.publicValues,
    valueRows(values, () => root),
  )
  // The end of the transaction makes everything else of these rows.
  tx.touched.noteTree(space.contentTrees, root)
  await tx.notePublic(space.contentTrees, [root], { public_modified: tx.now })
}

/** Redirects lead to the page again, but for those whose address has another use now. */
async function restoreRedirects(
  tx: Writer,
  space: ContentSpace,
  { redirects }: Deleted,
  { route_id }: RouteRow,
  author_id: string,
): Promise<void> {
  if (redirects.length === 0) return
  const slugs = redirects.map(({ slug }) => slug)
  const there = new Map((await tx.findIn(tables.redirects, 'slug', slugs)).map(row => [row.slug, row]))
  const pages = new Set((await tx.findIn(space.routes, 'slug', slugs)).map(({ slug }) => slug))
  const authors = await existingAuthors(tx, redirects, author_id)
  const mine = redirects.filter(({ slug, redirect_id }) => there.get(slug)?.redirect_id === redirect_id)
  for (const { redirect_id, locale } of mine)
    await tx.update(tables.redirects, redirect_id, { target: null, route_id, locale })
  const free = redirects.filter(({ slug }) => !there.has(slug) && !pages.has(slug))
  await tx.insertAll(
    tables.redirects,
    free.map(row => ({ ...row, route_id, author_id: authors(row) })),
  )
}

async function announce(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  entries: readonly EditableEntry[],
  { publicEntries }: Deleted,
): Promise<void> {
  const { space, events } = context
  const [top] = entries
  if (!top) return
  const isPending = await hasPendingChanges(tx, space, top.root_id)
  const published = entries.filter(({ status }) => status === 'published')
  if (!isPending) await refuseBroken(tx, space, published)
  const isPublic = isPending ? publicEntries.length > 0 : top.status === 'published'
  if (!isPublic) return
  const maxVersions = context.maxVersions() + 1
  const version = await storeVersion(tx, context, actor, {
    entry: top,
    entries,
    trigger: 'restore',
    maxVersions,
  })
  const ids = entries.map(({ content_data_id }) => content_data_id)
  await events.published(tx, actor, top, version, async () => ({ ids }))
}
