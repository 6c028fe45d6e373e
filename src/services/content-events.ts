import type { Actor } from '../actor.js'
import type { RowOf } from '../db/columns.js'
import type { ContentSpace } from '../db/tables.js'
import type { Writer } from '../db/writer.js'
import type { Staging } from './staging.js'

type Entry = RowOf<ContentSpace['contentData']>

/** The events of one content space: `content.*`, or `admin.content.*` in the admin space (6.1). */
export type EventPrefix = 'content' | 'admin.content'

export interface ContentEvents {
  /** Told when a draft is published, with the version that was kept of it (6.2). */
  published(
    tx: Writer,
    actor: Actor,
    entry: Entry,
    version: RowOf<ContentSpace['contentVersions']>,
  ): Promise<void>
  /** Told when a published entry is taken back (3.2). */
  unpublished(tx: Writer, actor: Actor, entry: Entry): Promise<void>
  /** Told when something of a published entry changes for the public: its values, its place, its author. */
  updated(tx: Writer, actor: Actor, entry: Entry): Promise<void>
  /** The same for an edit, which is not told while it waits for the next publish. */
  edited(tx: Writer, actor: Actor, entry: Entry): Promise<void>
  deleted(tx: Writer, actor: Actor, entry: Entry): Promise<void>
}

export function contentEvents(prefix: EventPrefix, staging: Staging): ContentEvents {
  const dataOf = ({ content_data_id }: Entry) => ({ content_data_id, locale: '' })

  async function updated(
    tx: Writer,
    actor: Actor,
    entry: Entry,
    isTold: () => Promise<boolean> = async () => true,
  ): Promise<void> {
    if (entry.status !== 'published') return
    await tx.emit(`${prefix}.updated`, async () =>
      (await isTold()) ? { ...dataOf(entry), updated_by: actor.userId } : undefined,
    )
  }

  return {
    updated: (tx, actor, entry) => updated(tx, actor, entry),
    published: (tx, actor, entry, { content_version_id, version_number, locale }) =>
      tx.emit(`${prefix}.published`, {
        content_data_id: entry.content_data_id,
        content_version_id,
        version_number,
        locale,
        published_by: actor.userId,
      }),
    unpublished: (tx, actor, entry) =>
      tx.emit(`${prefix}.unpublished`, { ...dataOf(entry), unpublished_by: actor.userId }),
    edited: (tx, actor, entry) =>
      updated(tx, actor, entry, async () => !(await staging.waits(tx, entry.root_id))),
    deleted: (tx, actor, entry) =>
      tx.emit(`${prefix}.deleted`, { ...dataOf(entry), deleted_by: actor.userId }),
  }
}
