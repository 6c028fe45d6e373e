import type { Actor } from '../actor.js'
import type { RowOf } from '../db/columns.js'
import type { ContentSpace } from '../db/tables.js'
import type { Writer } from '../db/writer.js'

type Entry = RowOf<ContentSpace['contentData']>

/** The events of one content space: `content.*`, or `admin.content.*` in the admin space (6.1). */
export type EventPrefix = 'content' | 'admin.content'

/** Told when a published entry is taken back (3.2). */
export const emitUnpublished = (tx: Writer, actor: Actor, prefix: EventPrefix, entry: Entry): Promise<void> =>
  tx.emit(`${prefix}.unpublished`, {
    content_data_id: entry.content_data_id,
    locale: '',
    unpublished_by: actor.userId,
  })

/** Told when a draft is published, with the version that was kept of it (6.2). */
export const emitPublished = (
  tx: Writer,
  actor: Actor,
  prefix: EventPrefix,
  version: RowOf<ContentSpace['contentVersions']>,
): Promise<void> =>
  tx.emit(`${prefix}.published`, {
    content_data_id: version.content_data_id,
    content_version_id: version.content_version_id,
    version_number: version.version_number,
    locale: version.locale,
    published_by: actor.userId,
  })

/** Told when something of a published entry changes: its values, its place, its author. */
export async function emitUpdate(tx: Writer, actor: Actor, prefix: EventPrefix, entry: Entry): Promise<void> {
  if (entry.status !== 'published') return
  await tx.emit(`${prefix}.updated`, {
    content_data_id: entry.content_data_id,
    locale: '',
    updated_by: actor.userId,
  })
}
