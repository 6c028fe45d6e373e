import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { RecordOf, RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { versionNumbers } from '../../db/queries/content.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { badRequest, invalid, missingReference, notFound } from '../../errors.js'
import { reference } from '../body-parts.js'
import { type Check, type Crud, reads } from '../crud.js'
import { affectedPages } from './affected-pages.js'
import type { ContentEvents, EventPrefix } from './events.js'
import { lockEntry, subtreeIds } from './placement.js'
import { recreate, restoreValues } from './restore.js'
import { readSubtree, type SubtreeSnapshot, storeSubtree } from './snapshots.js'
import type { Staging } from './staging.js'
import { valueDifferences } from './tree-diff.js'

export const VersionCreate = z.object({ content_data_id: reference, label: z.string().max(255).default('') })
export const VersionRestore = z.object({ content_version_id: reference })

type Entry = RowOf<ContentSpace['contentData']>
export type Version = RowOf<ContentSpace['contentVersions']>
export type VersionTrigger = 'publish' | 'manual' | 'restore' | 'schedule'

export const VersionRestored = z.object({
  content_data_id: z.string(),
  kept_version_id: z.string().meta({ description: 'What was there before, as a version of its own.' }),
  restored: z.int().meta({ description: 'Values that are other now.' }),
  recreated: z.array(z.string()).meta({ description: 'Entries that had been deleted since.' }),
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

export interface VersionService
  extends Pick<Crud<ContentSpace['contentVersions']>, 'table' | 'list' | 'count' | 'get'> {
  create(
    actor: Actor,
    given: z.output<typeof VersionCreate>,
  ): Promise<RecordOf<ContentSpace['contentVersions']>>
  remove(actor: Actor, id: string, check?: Check<Version>): Promise<void>
  /**
   * Brings back the values and entries of a version; what is there now is kept as a version first.
   * @throws 409 for a snapshot in a format that is not known
   */
  restore(actor: Actor, id: string): Promise<z.output<typeof VersionRestored>>
  /**
   * What changed from one version of an entry to another.
   * @throws 400 for versions of different entries; 409 for a snapshot in a format that is not known
   */
  difference(from: string, to: string): Promise<z.output<typeof VersionDifference>>
}

/** Keeps what an entry and its subtree are now as its next version, numbered from 1 for each entry and locale. */
export async function storeVersion(
  tx: Writer,
  space: ContentSpace,
  actor: Actor,
  {
    entry,
    entries,
    trigger,
    prefix,
    maxVersions,
    label = '',
    locale = '',
  }: {
    entry: Entry
    entries: readonly Entry[]
    trigger: VersionTrigger
    prefix: EventPrefix
    /** Versions kept of an entry; the oldest go. */
    maxVersions: number
    label?: string
    /** Only values of this locale are kept; without one all are. */
    locale?: string
  },
): Promise<Version> {
  const { content_data_id } = entry
  const kept = await tx.query(versionNumbers(space), { entry: content_data_id, locale })
  const values = await tx.findIn(
    space.contentFields,
    'content_data_id',
    entries.map(one => one.content_data_id),
  )
  const fields = locale === '' ? values : values.filter(value => value.locale === locale)
  const version = await tx.insert(space.contentVersions, {
    content_data_id,
    locale,
    version_number: (kept.at(-1)?.number ?? 0) + 1,
    snapshot: storeSubtree({ entries, fields }),
    trigger,
    label,
    published_by: trigger === 'publish' || trigger === 'schedule' ? actor.userId : null,
  })
  const excess = kept.slice(0, Math.max(0, kept.length + 1 - maxVersions)).map(({ id }) => id)
  if (excess.length > 0)
    await tx.removeAll(
      space.contentVersions,
      await tx.lockIn(space.contentVersions, 'content_version_id', excess),
    )
  if (prefix === 'content')
    await tx.emit('version.created', async () => ({
      content_data_id,
      content_version_id: version.content_version_id,
      version_number: version.version_number,
      locale: version.locale,
      trigger,
      ...(await affectedPages(tx, space, entry)),
    }))
  return version
}

/** The entry and everything under it, parents first. Called in the lock of its tree. */
export async function subtreeOf(tx: Writer, space: ContentSpace, entry: Entry): Promise<Entry[]> {
  const ids = await subtreeIds(tx, space, entry)
  const found = await tx.findIn(space.contentData, 'content_data_id', ids)
  const byId = new Map(found.map(one => [one.content_data_id, one]))
  return ids.flatMap(id => byId.get(id) ?? [])
}

/** Versions of entries, for one content space. */
export function contentVersions(
  db: Database,
  space: ContentSpace,
  prefix: EventPrefix,
  { maxVersions, events, staging }: { maxVersions: () => number; events: ContentEvents; staging: Staging },
): VersionService {
  const table = space.contentVersions

  return {
    ...reads(db, table),
    create: (actor, { content_data_id, label }) =>
      db.write(actor, async tx => {
        if (!(await tx.exists(space.contentData, { content_data_id })))
          throw missingReference('content_data_id', space.contentData.name)
        const entry = await lockEntry(tx, space, content_data_id)
        const entries = await subtreeOf(tx, space, entry)
        return storeVersion(tx, space, actor, {
          entry,
          entries,
          trigger: 'manual',
          prefix,
          maxVersions: maxVersions(),
          label,
        })
      }),
    remove: (actor, id, check) =>
      db.write(actor, async tx => {
        await tx.remove(table, id, check)
      }),
    restore: (actor, id) =>
      db.write(actor, async tx => {
        const version = await tx.get(table, id)
        if (!version)
          throw badRequest('foreign key failure: content_version_id names no version', 'content_version_id')
        const snapshot = readSubtree(version.snapshot)
        const entry = await lockEntry(tx, space, version.content_data_id)
        await staging.snapshotBeforeEdit(tx, [entry])
        const before = await subtreeOf(tx, space, entry)
        const kept = await storeVersion(tx, space, actor, {
          entry,
          entries: before,
          trigger: 'restore',
          prefix,
          // The version that is restored must not be the one that makes room.
          maxVersions: maxVersions() + 1,
        })
        const present = new Set(before.map(({ content_data_id }) => content_data_id))
        const entries = await recreate(tx, space, entry, snapshot, present)
        const root = await tx.get(space.contentData, entry.root_id)
        const values = await restoreValues(tx, space, snapshot, entries.there, {
          route_id: root?.route_id ?? null,
          locale: version.locale,
          fallbackAuthor: entry.author_id,
        })
        const after = await tx.get(space.contentData, entry.content_data_id)
        if (after && values.restored + entries.recreated.length > 0)
          await events.edited(tx, actor, after, async () => ({ ids: [...entries.there] }))
        const inVersion = new Set(snapshot.entries.map(one => one.content_data_id))
        return {
          content_data_id: entry.content_data_id,
          kept_version_id: kept.content_version_id,
          restored: values.restored,
          recreated: entries.recreated,
          missing_fields: values.missing,
          missing_entries: entries.missing,
          newer_entries: [...present].filter(one => !inVersion.has(one)),
        }
      }),
    async difference(from, to) {
      const [a, b] = [await db.get(table, from), await db.get(table, to)]
      if (!a || !b) throw notFound()
      if (a.content_data_id !== b.content_data_id) throw invalid('to', 'must be a version of the same entry')
      const [was, is] = [readSubtree(a.snapshot), readSubtree(b.snapshot)]
      const ids = ({ entries }: SubtreeSnapshot) => new Set(entries.map(one => one.content_data_id))
      const [before, after] = [ids(was), ids(is)]
      return {
        added: [...after].filter(id => !before.has(id)),
        removed: [...before].filter(id => !after.has(id)),
        values: valueDifferences(was.fields, is.fields),
      }
    },
  }
}
