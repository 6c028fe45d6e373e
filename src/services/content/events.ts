import type { Actor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { changedPages, type Extent } from './affected-pages.js'
import type { Staging } from './staging.js'

type Entry = RowOf<ContentSpace['contentData']>
type Version = RowOf<ContentSpace['contentVersions']>
/** Looked up only when somebody is told. */
type LazyExtent = () => Promise<Extent>

/** The events of one content space: `content.*`, or `admin.content.*` in the admin space (6.1). */
export type EventPrefix = 'content' | 'admin.content'

/**
 * What is told of a change, with the pages that it concerns. Called after the change. Without an extent, only the entry
 * itself is shown otherwise.
 */
export interface ContentEvents {
  /** Told when a draft is published, with the version that was kept of it (6.2). */
  published(tx: Writer, actor: Actor, entry: Entry, version: Version, extent: LazyExtent): Promise<void>
  /** Told when a published entry is taken back (3.2). */
  unpublished(tx: Writer, actor: Actor, entry: Entry, extent: LazyExtent): Promise<void>
  /** Told when something of a published entry changes for the public: its values, its place, its author. */
  updated(tx: Writer, actor: Actor, entry: Entry, extent?: LazyExtent): Promise<void>
  /** The same for an edit, which is not told while it waits for the next publish. */
  edited(tx: Writer, actor: Actor, entry: Entry, extent?: LazyExtent): Promise<void>
  /** @param entry as it was */
  deleted(tx: Writer, actor: Actor, entry: Entry, extent: LazyExtent): Promise<void>
  scheduled(tx: Writer, actor: Actor, entry: Entry): Promise<void>
  /** Told when the texts of a locale are said to be ready (6.1). */
  localePublished(tx: Writer, actor: Actor, entry: Entry, version: Version): Promise<void>
}

export function contentEvents(space: ContentSpace, prefix: EventPrefix, staging: Staging): ContentEvents {
  const dataOf = ({ content_data_id }: Entry) => ({ content_data_id, locale: '' })
  const versionOf = ({ content_data_id, content_version_id, version_number, locale }: Version) => ({
    content_data_id,
    content_version_id,
    version_number,
    locale,
  })

  const pagesOf = (tx: Writer, entry: Entry, extent?: LazyExtent) => changedPages(tx, space, entry, extent)

  async function updated(
    tx: Writer,
    actor: Actor,
    entry: Entry,
    extent: LazyExtent = async () => ({ ids: [entry.content_data_id] }),
    isTold: () => Promise<boolean> = async () => true,
  ): Promise<void> {
    if (entry.status !== 'published') return
    await tx.emit(`${prefix}.updated`, async () =>
      (await isTold())
        ? { ...dataOf(entry), updated_by: actor.userId, ...(await pagesOf(tx, entry, extent)) }
        : undefined,
    )
  }

  return {
    updated: (tx, actor, entry, extent) => updated(tx, actor, entry, extent),
    edited: (tx, actor, entry, extent) =>
      updated(tx, actor, entry, extent, async () => !(await staging.waits(tx, entry.root_id))),
    published: (tx, actor, entry, version, extent) =>
      tx.emit(`${prefix}.published`, async () => ({
        ...versionOf(version),
        published_by: actor.userId,
        ...(await pagesOf(tx, entry, extent)),
      })),
    unpublished: (tx, actor, entry, extent) =>
      tx.emit(`${prefix}.unpublished`, async () => ({
        ...dataOf(entry),
        unpublished_by: actor.userId,
        ...(await pagesOf(tx, { ...entry, status: 'published' }, extent)),
      })),
    deleted: (tx, actor, entry, extent) =>
      tx.emit(`${prefix}.deleted`, async () => ({
        ...dataOf(entry),
        deleted_by: actor.userId,
        ...(await pagesOf(tx, entry, extent)),
      })),
    async scheduled(tx, actor, entry) {
      // The admin space has no such event.
      if (prefix !== 'content') return
      const { publish_at, unpublish_at } = entry
      await tx.emit('content.scheduled', async () => ({
        ...dataOf(entry),
        publish_at,
        unpublish_at,
        scheduled_by: actor.userId,
        ...(await pagesOf(tx, entry)),
      }))
    },
    async localePublished(tx, actor, entry, version) {
      if (prefix !== 'content') return
      await tx.emit('locale.published', async () => ({
        ...versionOf(version),
        published_by: actor.userId,
        ...(await pagesOf(tx, entry)),
      }))
    },
  }
}
