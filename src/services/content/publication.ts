import type { Actor } from '../../actor.js'
import type { PatchOf } from '../../db/columns.js'
import type { ContentSpace, EntryRow } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import type { AffectedContent } from './affected-pages.js'
import type { ContentContext } from './context.js'
import type { HeldEntry } from './edit-trees.js'
import { storeVersion } from './store-version.js'

type EntryPatch = PatchOf<ContentSpace['contentData']>

/** Announces the status of an entry; of a published one a version is stored, with the entries that go with it. */
export async function emitStatus(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  { entry, entries }: { entry: HeldEntry; entries: readonly HeldEntry[] },
  affected: () => Promise<AffectedContent>,
): Promise<void> {
  const { events } = context
  if (entry.status !== 'published') return events.unpublished(tx, actor, entry, affected)
  const version = await storeVersion(tx, context, actor, { entry, entries, trigger: 'publish' })
  await events.published(tx, actor, entry, version, affected)
}

/**
 * Changes that go with a new status: when the entry was published, by whom, and the plan that is done.
 * @throws 403 when the status changes and the caller may not publish
 */
export async function publicationOf(
  tx: Writer,
  { refuseNonPublisher }: ContentContext,
  actor: Actor,
  { status }: EntryRow,
  wanted: EntryRow['status'] | undefined,
): Promise<Pick<EntryPatch, 'published_at' | 'published_by' | 'publish_at' | 'unpublish_at'>> {
  if (wanted === undefined || wanted === status) return {}
  await refuseNonPublisher(actor)
  return wanted === 'published'
    ? { published_at: tx.now, published_by: actor.userId, publish_at: null }
    : { unpublish_at: null }
}

/** @throws 403 when there are published entries among new ones, and the caller may not publish */
export async function refusePublished(
  { refuseNonPublisher }: ContentContext,
  actor: Actor,
  entries: readonly { readonly status: string }[],
): Promise<void> {
  if (entries.some(({ status }) => status === 'published')) await refuseNonPublisher(actor)
}
