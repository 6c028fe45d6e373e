import type { Actor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import { auditEventKeys } from '../../db/queries/audit.js'
import type { Row } from '../../db/rows.js'
import type { EntryRow, RouteRow, ValueRow } from '../../db/tables.js'
import { internalTables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { changedMeanwhile, conflict, missingPermission, notFound } from '../../errors.js'
import { leastUlid } from '../../ids.js'
import type { Check } from '../crud.js'
import type { Values } from './content-input.js'
import type { ContentContext } from './context.js'
import { type HeldEntry, lockEntry } from './edit-trees.js'
import { updatePublication, updatePublications } from './entry-rows.js'
import { subtreeOf } from './placement.js'
import { refuseBroken } from './publication-check.js'
import { updateRoute } from './routes.js'
import { unpublish } from './staging.js'
import { storeVersion } from './store-version.js'
import { updateContent } from './update-entry.js'

/**
 * Undoes what a person did to an entry last, from the values in the audit log: nothing else is stored for it. It is
 * refused once anybody has changed the entry since; of a publish or unpublish, once anybody has changed the tree.
 */

/** The actions that can be undone. */
export const undoable = ['save', 'rename', 'publish', 'unpublish'] as const
type Undoable = (typeof undoable)[number]

/** The state right after the action that is undone. */
export interface UndoMark {
  readonly what: Undoable
  readonly revision: number
  /** Of the tree; of a `rename` the time of the route, in milliseconds. */
  readonly version: number
}

type Event = Awaited<ReturnType<typeof eventsIn>>[number]

/** More rows than a request of a form changes, and than a publish of the largest tree does. */
const maxEvents = 20_000
/** An event's id is made after its time was taken, by a clock that may have been set back in between. */
const clockSlackMs = 60_000
const nothing = () => conflict('there is nothing to undo')

async function eventsIn({ db }: ContentContext, where: Readonly<Record<string, string>>, limit: number) {
  const names = Object.keys(where) as Parameters<typeof auditEventKeys>[0]
  const keys = await db.query(auditEventKeys(names, limit), where as never)
  const found: RowOf<typeof internalTables.auditEvents>[] = []
  for await (const batch of db.sized(internalTables.auditEvents, keys)) found.push(...batch)
  return found
}

/** Returns all events of the request that has made one at this time. @throws 409 unless it was the actor's own */
async function eventsAt(
  context: ContentContext,
  { userId }: Actor,
  at: string,
  isMeant: (event: Event) => boolean,
): Promise<Event[]> {
  if (userId === null) throw nothing()
  // The date of an edit is the time of its transaction, as is that of its events.
  const from = leastUlid(Date.parse(at) - clockSlackMs)
  const found = await eventsIn(context, { user_id: userId, since: at, from }, maxEvents)
  const atOnce = found.filter(one => one.occurred_at === at)
  const last = atOnce.find(isMeant)
  if (!last) throw nothing()
  return atOnce.filter(({ request_id }) => request_id === last.request_id)
}

/** Returns all events of the request that has edited the entry last. @throws 409 unless it was the actor's own */
async function eventsOf(context: ContentContext, actor: Actor, entry: EntryRow): Promise<Event[]> {
  const { contentData, contentFields } = context.space
  const { content_data_id: id, date_modified: at } = entry
  const rows = await context.db.findAll(contentFields, { content_data_id: id })
  const values = new Set(rows.map(({ content_field_id }) => content_field_id))
  return eventsAt(context, actor, at, event =>
    event.table_name === contentFields.name
      ? values.has(event.record_id) || memberOf(event, 'content_data_id') === id
      : event.table_name === contentData.name && event.record_id === id,
  )
}

/** Returns all events of the request that has renamed a page last. @throws 412 if it was another one; 409 as `eventsAt` */
async function renameOf(
  context: ContentContext,
  actor: Actor,
  { route_id }: EntryRow,
  { version }: UndoMark,
): Promise<Event[]> {
  const { routes } = context.space
  const route = route_id === null ? undefined : await context.db.get(routes, route_id)
  if (!route) throw nothing()
  if (Date.parse(route.date_modified) !== version) throw changedMeanwhile()
  return eventsAt(
    context,
    actor,
    route.date_modified,
    ({ table_name, record_id }) => table_name === routes.name && record_id === route_id,
  )
}

const memberOf = ({ old_values }: Event, name: string): unknown => (old_values as Row | null)?.[name]

export function contentUndo(context: ContentContext) {
  const { db, space } = context
  const by: Readonly<Record<Undoable, typeof undoSave>> = {
    save: undoSave,
    rename: undoRename,
    publish: undoPublish,
    unpublish: undoUnpublish,
  }
  return {
    /** The state of an entry, to undo what has just been done to it. @throws 404 */
    async mark(id: string, what: Undoable): Promise<Omit<UndoMark, 'what'>> {
      const entry = await db.get(space.contentData, id)
      if (!entry) throw notFound()
      if (what === 'rename') {
        const route = entry.route_id === null ? undefined : await db.get(space.routes, entry.route_id)
        return { revision: entry.revision, version: route ? Date.parse(route.date_modified) : 0 }
      }
      const tree = await db.get(space.contentTrees, entry.root_id)
      return { revision: entry.revision, version: tree?.version ?? 0 }
    },
    /**
     * @param mayRename whether the actor may still change routes
     * @throws 412 once something has changed since; 409 if it was somebody else's work, or cannot be undone; 403 if the
     * actor may not publish, or not rename
     */
    async undo(actor: Actor, id: string, mark: UndoMark, mayRename: boolean): Promise<void> {
      const entry = await db.get(space.contentData, id)
      if (!entry) throw notFound()
      if (entry.revision !== mark.revision) throw changedMeanwhile()
      await by[mark.what](context, actor, {
        id,
        mark,
        mayRename,
        events:
          mark.what === 'rename'
            ? await renameOf(context, actor, entry, mark)
            : await eventsOf(context, actor, entry),
      })
    },
  }
}

interface Request {
  readonly id: string
  readonly mark: UndoMark
  readonly mayRename: boolean
  readonly events: readonly Event[]
}

/** Returns the former values by locale and field name. Values that were not there are taken away. */
async function formerValues(
  tx: Writer,
  { space }: ContentContext,
  { id, events }: Request,
): Promise<Map<string, Values>> {
  const { contentFields } = space
  const rows = new Map(
    (await tx.findAll(contentFields, { content_data_id: id })).map(row => [row.content_field_id, row]),
  )
  const former = events.flatMap(event => {
    if (event.table_name !== contentFields.name) return []
    const row = rows.get(event.record_id) ?? (event.old_values as unknown as ValueRow | null)
    if (row?.content_data_id !== id) return []
    const value = event.operation === 'INSERT' ? null : String(memberOf(event, 'field_value') ?? '')
    return [{ field_id: row.field_id, locale: row.locale, value }]
  })
  const fields = await tx.findIn(
    space.fields,
    'field_id',
    former.map(({ field_id }) => field_id),
  )
  const names = new Map(fields.map(({ field_id, name }) => [field_id, name]))
  const found = new Map<string, Values>()
  for (const { field_id, locale, value } of former) {
    const name = names.get(field_id)
    if (name !== undefined) found.set(locale, { ...found.get(locale), [name]: value })
  }
  return found
}

type Translations = RouteRow['translations']

/** Returns the change that brings former translations back, of which null removes what was not there. */
const formerTranslations = (former: Translations, now: Translations) =>
  Object.fromEntries(
    [...new Set([...Object.keys(former), ...Object.keys(now)])].map(code => [
      code,
      { title: former[code]?.title ?? null, slug: former[code]?.slug ?? null },
    ]),
  )

const renamed = ['title', 'slug', 'translations'] as const
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** Returns the former titles and addresses of the page, if the request has changed them. */
function formerRoute({ space }: ContentContext, { events }: Request, route_id: string | null) {
  const event = events.find(
    ({ table_name, record_id, operation }) =>
      table_name === space.routes.name && record_id === route_id && operation === 'UPDATE',
  )
  if (!event || route_id === null) return undefined
  const [title, slug, translations] = renamed.map(name => memberOf(event, name))
  const after = event.new_values as unknown as RouteRow
  const patch = {
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof slug === 'string' ? { slug } : {}),
    ...(translations === undefined
      ? {}
      : { translations: formerTranslations(translations as Translations, after.translations) }),
  }
  const check: Check<RouteRow> = before => {
    if (renamed.some(name => name in patch && !same(before[name], after[name]))) throw changedMeanwhile()
  }
  return { id: route_id, patch, check }
}

const undoRename = (context: ContentContext, actor: Actor, request: Request): Promise<void> =>
  context.db.edit(actor, async tx => {
    const entry = await tx.get(context.space.contentData, request.id)
    const route = formerRoute(context, request, entry?.route_id ?? null)
    if (!route) throw nothing()
    if (!request.mayRename) throw missingPermission('routes:update')
    await updateRoute(tx, context, actor, route)
  })

const undoSave = (context: ContentContext, actor: Actor, request: Request): Promise<void> =>
  context.db.edit(actor, async tx => {
    const { id, mark } = request
    const entry = await tx.get(context.space.contentData, id)
    const route = formerRoute(context, request, entry?.route_id ?? null)
    const values = await formerValues(tx, context, request)
    if (!route && values.size === 0) throw nothing()
    const { '': fields, ...locales } = Object.fromEntries(values)
    const further = Object.entries(locales).map(([code, own]) => [code, { fields: own }])
    if (route && !request.mayRename) throw missingPermission('routes:update')
    if (route) await updateRoute(tx, context, actor, route)
    await updateContent(tx, context, actor, {
      id,
      patch: { ...(fields ? { fields } : {}), locales: Object.fromEntries(further) },
      check: before => {
        if (before.revision !== mark.revision) throw changedMeanwhile()
      },
    })
  })

/** Locks the tree, unless it has changed since. */
async function lockUnchanged(tx: Writer, context: ContentContext, { id, mark }: Request): Promise<HeldEntry> {
  const { space } = context
  const entry = await lockEntry(tx, space, id)
  // The lock has raised the version.
  const tree = await tx.get(space.contentTrees, entry.root_id)
  if (tree?.version !== mark.version + 1 || entry.revision !== mark.revision) throw changedMeanwhile()
  return entry
}

/** Returns the entries of the subtree whose status the request has changed, parents first. */
async function changedStatuses(
  tx: Writer,
  { space }: ContentContext,
  { events }: Request,
  entry: HeldEntry,
): Promise<{ changed: HeldEntry[]; entries: HeldEntry[]; own: Event | undefined }> {
  const ofEntries = events.filter(
    one => one.table_name === space.contentData.name && memberOf(one, 'status') !== undefined,
  )
  const ids = new Set(ofEntries.map(({ record_id }) => record_id))
  const entries = await subtreeOf(tx, space, entry)
  return {
    entries,
    changed: entries.filter(one => ids.has(one.content_data_id)),
    own: ofEntries.find(({ record_id }) => record_id === entry.content_data_id),
  }
}

/** A schedule that the request has ended, unless its time is over. */
function formerPlan({ events }: Request, id: string, name: 'publish_at' | 'unpublish_at', now: string) {
  const at = events
    .filter(({ record_id }) => record_id === id)
    .map(event => memberOf(event, name))
    .find(value => typeof value === 'string')
  return typeof at === 'string' && Date.parse(at) > Date.parse(now) ? at : null
}

/** Makes entries drafts again. What was public before cannot be brought back, so only a first publish is undone. */
const undoPublish = (context: ContentContext, actor: Actor, request: Request): Promise<void> =>
  context.db.write(actor, async tx => {
    const { space, events, refuseNonPublisher } = context
    await refuseNonPublisher(actor)
    const entry = await lockUnchanged(tx, context, request)
    const { changed, own } = await changedStatuses(tx, context, request, entry)
    if (!own || entry.status !== 'published') throw nothing()
    await updatePublications(tx, space, changed, { status: 'draft' })
    const publish_at = formerPlan(request, entry.content_data_id, 'publish_at', tx.now)
    const { after } = await updatePublication(tx, space, entry, { publish_at })
    const ids = changed.map(({ content_data_id }) => content_data_id)
    await unpublish(tx, space, entry, ids)
    await events.unpublished(tx, actor, after, async () => ({ ids }))
  })

const undoUnpublish = (context: ContentContext, actor: Actor, request: Request): Promise<void> =>
  context.db.write(actor, async tx => {
    const { space, events, refuseNonPublisher } = context
    await refuseNonPublisher(actor)
    const entry = await lockUnchanged(tx, context, request)
    const { changed, entries, own } = await changedStatuses(tx, context, request, entry)
    if (!own || entry.status === 'published') throw nothing()
    await updatePublications(tx, space, changed, { status: 'published' })
    const unpublish_at = formerPlan(request, entry.content_data_id, 'unpublish_at', tx.now)
    const { after } = await updatePublication(tx, space, entry, { unpublish_at })
    await refuseBroken(tx, space, changed)
    const version = await storeVersion(tx, context, actor, { entry: after, entries, trigger: 'publish' })
    const ids = changed.map(({ content_data_id }) => content_data_id)
    await events.published(tx, actor, after, version, async () => ({ ids }))
  })
