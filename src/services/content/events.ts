import type { Actor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { ContentSpace, EntryRow } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { type AffectedContent, affectedPages } from './affected-pages.js'
import { hasPendingChanges } from './public-state.js'

type Version = RowOf<ContentSpace['contentVersions']>
/** Called only when a webhook subscribes to the event. */
type FindAffected = () => Promise<AffectedContent>

/** The events of one content space: `content.*`, or `admin.content.*` in the admin space. */
export type EventPrefix = 'content' | 'admin.content'

export type ContentEvents = ReturnType<typeof contentEvents>

/**
 * Announces a change with the pages that it affects. Called after the change. Without `affected`, only the entry itself
 * is shown otherwise.
 */
export function contentEvents(space: ContentSpace, prefix: EventPrefix) {
  const dataOf = ({ content_data_id }: EntryRow) => ({ content_data_id, locale: '' })
  const versionOf = ({ content_data_id, content_version_id, version_number, locale }: Version) => ({
    content_data_id,
    content_version_id,
    version_number,
    locale,
  })

  const pagesOf = async (tx: Writer, entry: EntryRow, affected?: FindAffected, isEdit = false) => {
    const found = await affectedPages(tx, space, entry, affected, isEdit)
    // No cache has pages of the admin space.
    return prefix === 'content' ? found : { ...found, surrogate_keys: [] }
  }

  async function updated(
    tx: Writer,
    actor: Actor,
    entry: EntryRow,
    affected: FindAffected = async () => ({ ids: [entry.content_data_id] }),
    isEmitted: () => Promise<boolean> = async () => true,
  ): Promise<void> {
    if (entry.status !== 'published') return
    await tx.emit(`${prefix}.updated`, async () =>
      (await isEmitted())
        ? { ...dataOf(entry), updated_by: actor.userId, ...(await pagesOf(tx, entry, affected, true)) }
        : undefined,
    )
  }

  return {
    updated: (tx: Writer, actor: Actor, entry: EntryRow, affected?: FindAffected) =>
      updated(tx, actor, entry, affected),
    /** An edit changed a published entry. It is not announced while its tree has unpublished changes. */
    edited: (tx: Writer, actor: Actor, entry: EntryRow, affected?: FindAffected) =>
      updated(tx, actor, entry, affected, async () => !(await hasPendingChanges(tx, space, entry.root_id))),
    published: (tx: Writer, actor: Actor, entry: EntryRow, version: Version, affected: FindAffected) =>
      tx.emit(`${prefix}.published`, async () => ({
        ...versionOf(version),
        published_by: actor.userId,
        ...(await pagesOf(tx, entry, affected)),
      })),
    unpublished: (tx: Writer, actor: Actor, entry: EntryRow, affected: FindAffected) =>
      tx.emit(`${prefix}.unpublished`, async () => ({
        ...dataOf(entry),
        unpublished_by: actor.userId,
        ...(await pagesOf(tx, { ...entry, status: 'published' }, affected)),
      })),
    /** @param entry as it was */
    deleted: (tx: Writer, actor: Actor, entry: EntryRow, affected: FindAffected) =>
      tx.emit(`${prefix}.deleted`, async () => ({
        ...dataOf(entry),
        deleted_by: actor.userId,
        ...(await pagesOf(tx, entry, affected)),
      })),
    async scheduled(tx: Writer, actor: Actor, entry: EntryRow) {
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
    async localePublished(tx: Writer, actor: Actor, entry: EntryRow, version: Version) {
      if (prefix !== 'content') return
      await tx.emit('locale.published', async () => ({
        ...versionOf(version),
        published_by: actor.userId,
        ...(await pagesOf(tx, entry)),
      }))
    },
  }
}
