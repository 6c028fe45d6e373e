import { type Actor, systemActor } from '../../actor.js'
import type { EntryRow } from '../../db/tables.js'
import { tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict, invalid } from '../../errors.js'
import type { ContentContext } from './context.js'
import type { HeldEntry } from './edit-trees.js'
import { updatePublication, updatePublications } from './entry-rows.js'
import { subtreeOf } from './placement.js'
import { refuseBroken } from './publication-check.js'
import { approveOpen } from './review-rows.js'
import { publishSubtree, unpublish } from './staging.js'
import { storeVersion, type VersionTrigger } from './store-version.js'
import type { EntryDifference } from './tree-diff.js'

function affectedEntries(
  drafts: readonly EntryRow[],
  published: readonly EntryDifference[],
  entries: readonly EntryRow[],
): string[] {
  const found = new Set(drafts.map(({ content_data_id }) => content_data_id))
  for (const { content_data_id, before, after } of published)
    if (before?.parent_id !== after?.parent_id || before?.status !== after?.status) found.add(content_data_id)
  // Parents come first, and what is under them is seen with them.
  for (const { content_data_id, parent_id } of entries)
    if (parent_id !== null && found.has(parent_id)) found.add(content_data_id)
  for (const { content_data_id, change, values } of published)
    if (change !== 'moved' || values.length > 0) found.add(content_data_id)
  return [...found]
}

/** Published entries that the public sees differently now, without those that were drafts. */
function afterwards(published: readonly EntryDifference[], drafts: readonly EntryRow[]): EntryRow[] {
  const known = new Set(drafts.map(({ content_data_id }) => content_data_id))
  return published.flatMap(({ after }) =>
    after?.status === 'published' && !known.has(after.content_data_id) ? [after] : [],
  )
}

/**
 * Publishes an entry with everything under it and all its unpublished changes.
 * @throws 400 that lists every value of theirs which breaks a rule of its field; 403 if the actor may not publish
 */
export async function publishTree(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  { entry, trigger }: { entry: HeldEntry; trigger: VersionTrigger },
): Promise<HeldEntry> {
  const { space, events, refuseNonPublisher } = context
  await refuseNonPublisher(actor)
  await approveOpen(tx, space, actor, entry.content_data_id)
  const drafts = (await subtreeOf(tx, space, entry)).filter(({ status }) => status !== 'published')
  const now = { status: 'published', published_at: tx.now, published_by: actor.userId }
  await updatePublications(tx, space, drafts, now)
  // The schedule ends: its time has come, or the entry is published before it.
  const { after } = await updatePublication(tx, space, entry, { publish_at: null })
  const published = await publishSubtree(tx, space, after)
  if (drafts.length === 0 && published.length === 0) return after
  const entries = await subtreeOf(tx, space, after)
  await refuseBroken(tx, space, [...drafts, ...afterwards(published, drafts)])
  const version = await storeVersion(tx, context, actor, { entry: after, entries, trigger })
  await emitDeferredDeletions(tx, context, actor, published)
  const affected = async () => ({ ids: affectedEntries(drafts, published, entries) })
  if (entry.status === 'published') await events.updated(tx, actor, after, affected)
  else await events.published(tx, actor, after, version, affected)
  return after
}

/** Announces deletions that had been pending, each for the entry that all the others were under. */
async function emitDeferredDeletions(
  tx: Writer,
  { space, events }: ContentContext,
  actor: Actor,
  published: readonly EntryDifference[],
): Promise<void> {
  const gone = new Map(
    published.flatMap(({ before, after }) =>
      before?.status === 'published' && !after ? [[before.content_data_id, before] as const] : [],
    ),
  )
  for (const { content_data_id } of await tx.findIn(space.contentData, 'content_data_id', [...gone.keys()]))
    gone.delete(content_data_id)
  for (const entry of gone.values())
    if (!gone.has(entry.parent_id ?? ''))
      await events.deleted(tx, actor, entry, async () => ({ ids: affectedEntries([], published, []) }))
}

/** Marks the texts of a published entry in a locale as ready. @throws 403 if the actor may not publish */
export async function publishLocale(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  { entry, locale }: { entry: HeldEntry; locale: string },
): Promise<EntryRow> {
  const { space, events, refuseNonPublisher } = context
  await refuseNonPublisher(actor)
  if (!(await tx.exists(tables.locales, { code: locale })))
    throw invalid('locale', 'the locale does not exist')
  if (entry.status !== 'published') throw conflict('the entry is a draft: publish it first')
  const entries = await subtreeOf(tx, space, entry)
  const version = await storeVersion(tx, context, actor, { entry, entries, trigger: 'publish', locale })
  await events.localePublished(tx, actor, entry, version)
  return entry
}

/** Unpublishes an entry with everything under it. @throws 403 if the actor may not publish */
export async function unpublishTree(
  tx: Writer,
  { space, events, refuseNonPublisher }: ContentContext,
  actor: Actor,
  entry: HeldEntry,
): Promise<EntryRow> {
  await refuseNonPublisher(actor)
  const entries = await subtreeOf(tx, space, entry)
  const published = entries.filter(({ status }) => status === 'published')
  await updatePublications(tx, space, published, { status: 'draft' })
  const { after } = await updatePublication(tx, space, entry, { unpublish_at: null })
  const ids = entries.map(({ content_data_id }) => content_data_id)
  await unpublish(tx, space, entry, ids)
  if (entry.status === 'published') await events.unpublished(tx, actor, after, async () => ({ ids }))
  return after
}

/**
 * Makes the pending changes of a tree public where changes are pending no more.
 * @throws 400 as `publishTree`
 */
export async function publishPending(tx: Writer, context: ContentContext, root: HeldEntry): Promise<void> {
  const { space, events } = context
  const published = await publishSubtree(tx, space, root)
  await refuseBroken(tx, space, afterwards(published, []))
  await emitDeferredDeletions(tx, context, systemActor, published)
  if (published.length > 0)
    await events.updated(tx, systemActor, root, async () => ({ ids: affectedEntries([], published, []) }))
}
