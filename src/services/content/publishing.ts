import { z } from 'zod'
import { type Actor, systemActor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { dueEntries } from '../../db/queries/content.js'
import { type ContentSpace, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict, HttpError, invalid } from '../../errors.js'
import { timestamp } from '../../ids.js'
import type { Clock, Log } from '../../ports.js'
import { reference, time } from '../body-parts.js'
import type { ContentEvents, EventPrefix } from './events.js'
import { localeCode } from './locales.js'
import { lockEntry } from './placement.js'
import type { Staging } from './staging.js'
import type { EntryDifference } from './tree-diff.js'
import { storeVersion, subtreeOf, type VersionTrigger } from './versions.js'

export const Publish = z.object({ content_data_id: reference, locale: localeCode.optional() })
export const Schedule = z.object({
  content_data_id: reference,
  publish_at: time.nullable().optional(),
  unpublish_at: time.nullable().optional(),
})

type Entry = RowOf<ContentSpace['contentData']>

export interface PublishingService {
  /**
   * Publishes an entry with everything under it; nothing happens to what is published already (3.2).
   * With a locale, says of a published entry that its texts in that locale are ready: a version of them is kept, and
   * the event is `locale.published`.
   * @throws 400 for a locale that there is not, 409 for one of an entry that is a draft
   */
  publish(actor: Actor, given: z.output<typeof Publish>): Promise<Entry>
  /** Takes an entry back with everything under it. */
  unpublish(actor: Actor, id: string): Promise<Entry>
  /** Plans both; null takes a plan back. @throws 400 for a time that is over, or an end before its beginning */
  schedule(actor: Actor, given: z.output<typeof Schedule>): Promise<Entry>
  /** Makes public what waits in any tree: where `publish_mode` is `live`, nothing does. Called at the start. */
  releaseAll(): Promise<void>
  /** Does what is due, each once, whichever instance is alive. Called at the start and every few seconds. */
  runDue(): Promise<void>
}

/** Entries that the public sees otherwise, or only now, after a publication. */
function affectedEntries(
  drafts: readonly Entry[],
  released: readonly EntryDifference[],
  entries: readonly Entry[],
): string[] {
  const found = new Set(drafts.map(({ content_data_id }) => content_data_id))
  for (const { content_data_id, before, after } of released)
    if (before?.parent_id !== after?.parent_id || before?.status !== after?.status) found.add(content_data_id)
  // Parents come first, and what is under them is seen with them.
  for (const { content_data_id, parent_id } of entries)
    if (parent_id !== null && found.has(parent_id)) found.add(content_data_id)
  for (const { content_data_id, change, values } of released)
    if (change !== 'moved' || values.length > 0) found.add(content_data_id)
  return [...found]
}

/** Status changes with their versions and events, for one content space. */
export function publishing(
  db: Database,
  space: ContentSpace,
  prefix: EventPrefix,
  {
    clock,
    log,
    maxVersions,
    events,
    staging,
  }: { clock: Clock; log: Log; maxVersions: () => number; events: ContentEvents; staging: Staging },
): PublishingService {
  const { contentData } = space

  async function publish(tx: Writer, actor: Actor, entry: Entry, trigger: VersionTrigger): Promise<Entry> {
    const drafts = (await subtreeOf(tx, space, entry)).filter(({ status }) => status !== 'published')
    for (const { content_data_id } of drafts)
      await tx.update(contentData, content_data_id, {
        status: 'published',
        published_at: tx.now,
        published_by: actor.userId,
      })
    // A plan that came true, or was overtaken, is no plan any more.
    const { after } = await tx.update(contentData, entry.content_data_id, { publish_at: null })
    const released = await staging.publishSubtree(tx, after)
    if (drafts.length === 0 && released.length === 0) return after
    const entries = await subtreeOf(tx, space, after)
    const version = await storeVersion(tx, space, actor, {
      entry: after,
      entries,
      trigger,
      prefix,
      maxVersions: maxVersions(),
    })
    await emitDeferredDeletions(tx, actor, released)
    const affected = async () => ({ ids: affectedEntries(drafts, released, entries) })
    if (entry.status === 'published') await events.updated(tx, actor, after, affected)
    else await events.published(tx, actor, after, version, affected)
    return after
  }

  /** Deletions that had waited are told now, each for the entry that all the others were under. */
  async function emitDeferredDeletions(
    tx: Writer,
    actor: Actor,
    released: readonly EntryDifference[],
  ): Promise<void> {
    const gone = new Map(
      released.flatMap(({ before, after }) =>
        before?.status === 'published' && !after ? [[before.content_data_id, before] as const] : [],
      ),
    )
    for (const { content_data_id } of await tx.findIn(contentData, 'content_data_id', [...gone.keys()]))
      gone.delete(content_data_id)
    for (const entry of gone.values())
      if (!gone.has(entry.parent_id ?? ''))
        await events.deleted(tx, actor, entry, async () => ({ ids: affectedEntries([], released, []) }))
  }

  async function publishLocale(tx: Writer, actor: Actor, entry: Entry, locale: string): Promise<Entry> {
    if (!(await tx.exists(tables.locales, { code: locale })))
      throw invalid('locale', 'there is no such locale')
    if (entry.status !== 'published') throw conflict('the entry is a draft: publish it first')
    const version = await storeVersion(tx, space, actor, {
      entry,
      entries: await subtreeOf(tx, space, entry),
      trigger: 'publish',
      prefix,
      maxVersions: maxVersions(),
      locale,
    })
    await events.localePublished(tx, actor, entry, version)
    return entry
  }

  async function unpublish(tx: Writer, actor: Actor, entry: Entry): Promise<Entry> {
    const entries = await subtreeOf(tx, space, entry)
    for (const { content_data_id, status } of entries)
      if (status === 'published') await tx.update(contentData, content_data_id, { status: 'draft' })
    const { after } = await tx.update(contentData, entry.content_data_id, { unpublish_at: null })
    const ids = entries.map(({ content_data_id }) => content_data_id)
    await staging.unpublish(tx, entry.root_id, ids)
    if (entry.status === 'published') await events.unpublished(tx, actor, after, async () => ({ ids }))
    return after
  }

  async function due(tx: Writer, id: string): Promise<void> {
    // Read again in the lock: another instance may have done it, or somebody has planned anew.
    const entry = await lockEntry(tx, space, id)
    const isDue = (at: string | null) => at !== null && at <= timestamp(clock.now())
    const now = isDue(entry.publish_at) ? await publish(tx, systemActor, entry, 'schedule') : entry
    if (isDue(now.unpublish_at)) await unpublish(tx, systemActor, now)
  }

  return {
    publish: (actor, { content_data_id, locale }) =>
      db.write(actor, async tx => {
        const entry = await lockEntry(tx, space, content_data_id)
        return locale === undefined
          ? publish(tx, actor, entry, 'publish')
          : publishLocale(tx, actor, entry, locale)
      }),
    unpublish: (actor, id) =>
      db.write(actor, async tx => unpublish(tx, actor, await lockEntry(tx, space, id))),
    schedule: (actor, { content_data_id, publish_at, unpublish_at }) =>
      db.write(actor, async tx => {
        const entry = await lockEntry(tx, space, content_data_id)
        const now = timestamp(clock.now())
        for (const [name, at] of Object.entries({ publish_at, unpublish_at }))
          if (at && at <= now) throw invalid(name, 'must be in the future')
        const [from, to] = [
          publish_at === undefined ? entry.publish_at : publish_at,
          unpublish_at === undefined ? entry.unpublish_at : unpublish_at,
        ]
        if (from && to && to <= from) throw invalid('unpublish_at', 'must be after publish_at')
        const { after, changed } = await tx.update(contentData, content_data_id, { publish_at, unpublish_at })
        if (changed && (publish_at || unpublish_at)) await events.scheduled(tx, actor, after)
        return after
      }),
    async releaseAll() {
      for (const { root_id } of await db.findAll(space.publicTrees))
        await db.write(systemActor, async tx => {
          const root = await lockEntry(tx, space, root_id)
          const released = await staging.publishSubtree(tx, root)
          await emitDeferredDeletions(tx, systemActor, released)
          if (released.length > 0)
            await events.updated(tx, systemActor, root, async () => ({
              ids: affectedEntries([], released, []),
            }))
        })
    },
    async runDue() {
      const failed = new Set<string>()
      for (;;) {
        const now = timestamp(clock.now())
        const starting = await db.query(dueEntries(space, 'publish_at'), { now })
        const ending = await db.query(dueEntries(space, 'unpublish_at'), { now })
        const ids = [...new Set([...starting, ...ending])].filter(id => !failed.has(id))
        if (ids.length === 0) return
        for (const id of ids)
          await db
            .write(systemActor, tx => due(tx, id))
            .catch(error => {
              failed.add(id)
              // Deleted meanwhile: nothing is due any more.
              if (error instanceof HttpError && error.status === 404) return
              log.error({ err: error, content_data_id: id }, 'what was planned could not be done')
            })
      }
    },
  }
}
