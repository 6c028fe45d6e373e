import type { Actor } from '../actor.js'
import type { RowOf } from '../db/columns.js'
import { lastVersion } from '../db/queries.js'
import type { ContentSpace } from '../db/tables.js'
import type { Writer } from '../db/writer.js'

type Entry = RowOf<ContentSpace['contentData']>
type VersionTrigger = 'publish' | 'manual' | 'restore' | 'schedule'

/** The events of one content space: `content.*`, or `admin.content.*` in the admin space (6.1). */
export type EventPrefix = 'content' | 'admin.content'

/** Keeps what an entry is now as its next version, numbered from 1 for each entry and locale. */
async function keepVersion(
  tx: Writer,
  space: ContentSpace,
  actor: Actor,
  entry: Entry,
  trigger: VersionTrigger,
  prefix: EventPrefix,
): Promise<RowOf<ContentSpace['contentVersions']>> {
  const { content_data_id } = entry
  const [last] = await tx.query(lastVersion(space), { entry: content_data_id, locale: '' })
  const fields = await tx.findAll(space.contentFields, { content_data_id })
  const version = await tx.insert(space.contentVersions, {
    content_data_id,
    version_number: (last ?? 0) + 1,
    snapshot: { entries: [entry], fields },
    trigger,
    published_by: trigger === 'publish' || trigger === 'schedule' ? actor.userId : null,
  })
  if (prefix === 'content')
    await tx.emit('version.created', {
      content_data_id,
      content_version_id: version.content_version_id,
      version_number: version.version_number,
      locale: version.locale,
      trigger,
    })
  return version
}

/** The event of a status change (3.2), with the version that a publication keeps. */
export async function emitStatusChange(
  tx: Writer,
  space: ContentSpace,
  actor: Actor,
  prefix: EventPrefix,
  entry: Entry,
): Promise<void> {
  const { content_data_id } = entry
  if (entry.status !== 'published') {
    await tx.emit(`${prefix}.unpublished`, { content_data_id, locale: '', unpublished_by: actor.userId })
    return
  }
  const version = await keepVersion(tx, space, actor, entry, 'publish', prefix)
  await tx.emit(`${prefix}.published`, {
    content_data_id,
    content_version_id: version.content_version_id,
    version_number: version.version_number,
    locale: version.locale,
    published_by: actor.userId,
  })
}

/** Told when something of a published entry changes: its values, its place, its author. */
export async function emitUpdate(tx: Writer, actor: Actor, prefix: EventPrefix, entry: Entry): Promise<void> {
  if (entry.status !== 'published') return
  await tx.emit(`${prefix}.updated`, {
    content_data_id: entry.content_data_id,
    locale: '',
    updated_by: actor.userId,
  })
}
