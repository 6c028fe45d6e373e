import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { versionSummaries } from '../../db/queries/content.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { badRequest, invalid, missingReference, notFound } from '../../errors.js'
import { Turns } from '../../turns.js'
import { reference } from '../body-parts.js'
import { type Check, reads } from '../crud.js'
import type { ContentContext } from './context.js'
import { editTree, lockReadEntry } from './edit-trees.js'
import { readSubtree as presentSubtree, subtreeOf } from './placement.js'
import { hasPendingChanges } from './public-state.js'
import { refusePublished } from './publication.js'
import { refuseBroken } from './publication-check.js'
import { recreate, restoreValues } from './restore.js'
import { readSubtree, type SubtreeSnapshot } from './snapshots.js'
import { storeVersion, type Version } from './store-version.js'
import { valueDifferences } from './tree-diff.js'

export const VersionCreate = z.object({ content_data_id: reference, label: z.string().max(255).default('') })
export const VersionRestore = z.object({ content_version_id: reference })

export const VersionRestored = z.object({
  content_data_id: z.string(),
  kept_version_id: z.string().meta({ description: 'The version with the state before the restore.' }),
  restored: z.int().meta({ description: 'The number of values that changed.' }),
  recreated: z.array(z.string()).meta({ description: 'Restored entries that had been deleted since.' }),
  missing_fields: z
    .array(z.string())
    .meta({ description: 'Fields that no longer exist; their values stay in the version.' }),
  missing_entries: z
    .array(z.string())
    .meta({ description: 'Entries whose place or datatype no longer exists.' }),
  newer_entries: z
    .array(z.string())
    .meta({ description: 'Entries that the version does not have; they stay.' }),
})

export const VersionDifference = z.object({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  values: z.array(
    z.object({
      content_data_id: z.string(),
      field_id: z.string(),
      locale: z.string(),
      before: z.string().nullable(),
      after: z.string().nullable(),
    }),
  ),
})

type Create = z.output<typeof VersionCreate>
type Restored = z.output<typeof VersionRestored>
type Difference = z.output<typeof VersionDifference>

/** Versions of entries, for one content space. */
export function contentVersions(context: ContentContext) {
  const { db, space } = context
  const table = space.contentVersions
  return {
    ...reads(db, table),
    /** Newest first, without what they hold, which may be much. */
    summaries: (entry: string, limit: number) => db.query(versionSummaries(space, limit), { entry }),
    create: (actor: Actor, given: Create) => db.write(actor, tx => create(tx, context, actor, given)),
    remove: (actor: Actor, id: string, check?: Check<Version>) =>
      db.write(actor, async tx => {
        await tx.remove(table, id, check)
      }),
    /**
     * Brings back the values and entries of a version; what is there now is stored as a version first.
     * @throws 409 for a snapshot in a format that is not known; 400 when the public would see values that break rules; 403
     * when published entries would come back and the caller may not publish
     */
    restore: (actor: Actor, id: string) => db.write(actor, tx => restore(tx, context, actor, id)),
    /**
     * Compares one version of an entry with another.
     * @throws 400 for versions of different entries; 409 for a snapshot in an unknown format
     */
    difference: (from: string, to: string) => difference(db, space, from, to),
    /** Compares a version of an entry with its present working state. @throws 404 if one of them is gone */
    differenceToNow: (from: string) => differenceToNow(db, space, from),
  }
}

const idsOf = ({ entries }: SubtreeSnapshot) => new Set(entries.map(one => one.content_data_id))

async function create(tx: Writer, context: ContentContext, actor: Actor, given: Create): Promise<Version> {
  const { space } = context
  const { content_data_id, label } = given
  if (!(await tx.exists(space.contentData, { content_data_id })))
    throw missingReference('content_data_id', space.contentData.name)
  const entry = await lockReadEntry(tx, space, content_data_id)
  const entries = await subtreeOf(tx, space, entry)
  return storeVersion(tx, context, actor, { entry, entries, trigger: 'manual', label })
}

async function restore(tx: Writer, context: ContentContext, actor: Actor, id: string): Promise<Restored> {
  const { space, events } = context
  const version = await tx.get(space.contentVersions, id)
  if (!version)
    throw badRequest('foreign key failure: content_version_id names no version', 'content_version_id')
  const snapshot = readSubtree(version.snapshot)
  const entry = await editTree(tx, context, version.content_data_id)
  const before = await subtreeOf(tx, space, entry)
  const stored = await storeVersion(tx, context, actor, {
    entry,
    entries: before,
    trigger: 'restore',
    // The version that is restored must not be the one that makes room.
    maxVersions: context.maxVersions() + 1,
  })
  const present = new Set(before.map(({ content_data_id }) => content_data_id))
  const entries = await recreate(tx, space, entry, snapshot, present)
  const recreated = new Set(entries.recreated)
  await refusePublished(
    context,
    actor,
    snapshot.entries.filter(({ content_data_id }) => recreated.has(content_data_id)),
  )
  const root = await tx.get(space.contentData, entry.root_id)
  const values = await restoreValues(tx, space, entry, snapshot, {
    ids: entries.there,
    route_id: root?.route_id ?? null,
    locale: version.locale,
  })
  if (!(await hasPendingChanges(tx, space, entry.root_id))) {
    const now = await tx.findIn(space.contentData, 'content_data_id', [...entries.there])
    await refuseBroken(
      tx,
      space,
      now.filter(({ status }) => status === 'published'),
    )
  }
  const after = await tx.get(space.contentData, entry.content_data_id)
  if (after && values.restored + entries.recreated.length > 0)
    await events.edited(tx, actor, after, async () => ({ ids: [...entries.there] }))
  const known = idsOf(snapshot)
  return {
    content_data_id: entry.content_data_id,
    kept_version_id: stored.content_version_id,
    restored: values.restored,
    recreated: entries.recreated,
    missing_fields: values.missing,
    missing_entries: entries.missing,
    newer_entries: [...present].filter(one => !known.has(one)),
  }
}

async function difference(db: Database, space: ContentSpace, from: string, to: string): Promise<Difference> {
  const { contentVersions } = space
  // A version of thousands of entries has many MB, so that others have their turn after each step.
  const turns = new Turns()
  const a = await db.get(contentVersions, from)
  await turns.next()
  const b = await db.get(contentVersions, to)
  await turns.next()
  if (!a || !b) throw notFound()
  if (a.content_data_id !== b.content_data_id) throw invalid('to', 'must be a version of the same entry')
  return compared(readSubtree(a.snapshot), readSubtree(b.snapshot), turns)
}

async function differenceToNow(db: Database, space: ContentSpace, from: string): Promise<Difference> {
  const turns = new Turns()
  const version = await db.get(space.contentVersions, from)
  await turns.next()
  const entry = version && (await db.get(space.contentData, version.content_data_id))
  if (!version || !entry) throw notFound()
  const entries = await presentSubtree(db, space, entry, 'each')
  const ids = entries.map(({ content_data_id }) => content_data_id)
  const values = await db.findIn(space.contentFields, 'content_data_id', ids)
  // A version of one locale has no values of the others.
  const { locale } = version
  const fields = locale === '' ? values : values.filter(value => value.locale === locale)
  return compared(readSubtree(version.snapshot), { entries, fields }, turns)
}

async function compared(was: SubtreeSnapshot, is: SubtreeSnapshot, turns: Turns): Promise<Difference> {
  const [before, after] = [idsOf(was), idsOf(is)]
  const values = await turns.run(valueDifferences(was.fields, is.fields))
  await turns.next()
  return {
    added: [...after].filter(id => !before.has(id)),
    removed: [...before].filter(id => !after.has(id)),
    values,
  }
}
