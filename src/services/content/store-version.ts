import type { Actor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import { versionNumbers } from '../../db/queries/content.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { affectedPages } from './affected-pages.js'
import type { ContentContext } from './context.js'
import type { HeldEntry } from './edit-trees.js'
import { storeSubtree } from './snapshots.js'

export type Version = RowOf<ContentSpace['contentVersions']>
export type VersionTrigger = 'publish' | 'manual' | 'restore' | 'schedule'

interface NewVersion {
  entry: HeldEntry
  entries: readonly HeldEntry[]
  trigger: VersionTrigger
  maxVersions?: number
  label?: string
  /** Only values of this locale are stored; without one all are. */
  locale?: string
}

/** Stores what an entry and its subtree are now as its next version, numbered from 1 for each entry and locale. */
export async function storeVersion(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  { entry, entries, trigger, maxVersions = context.maxVersions(), label = '', locale = '' }: NewVersion,
): Promise<Version> {
  const { space, prefix } = context
  const { contentFields, contentVersions } = space
  const { content_data_id } = entry
  const stored = await tx.query(versionNumbers(space), { entry: content_data_id, locale })
  const ids = entries.map(one => one.content_data_id)
  const values = await tx.findIn(contentFields, 'content_data_id', ids)
  const fields = locale === '' ? values : values.filter(value => value.locale === locale)
  const version = await tx.insert(contentVersions, {
    content_data_id,
    locale,
    version_number: (stored.at(-1)?.number ?? 0) + 1,
    snapshot: storeSubtree({ entries, fields }),
    trigger,
    label,
    published_by: trigger === 'publish' || trigger === 'schedule' ? actor.userId : null,
  })
  const excess = stored.slice(0, Math.max(0, stored.length + 1 - maxVersions)).map(({ id }) => id)
  if (excess.length > 0)
    await tx.removeAll(contentVersions, await tx.lockIn(contentVersions, 'content_version_id', excess))
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
