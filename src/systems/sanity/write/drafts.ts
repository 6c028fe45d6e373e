import { pendingAmong } from '../../../services/content/public-state.js'
import type { CompatSite } from '../../../services/delivery/compat/compat.js'
import type { ContentTree } from '../../../services/delivery/tree.js'

/**
 * The ids of documents that are drafts to a client: what is not published, and what is published with changes that wait.
 * There are none among what the public sees.
 * @param wanted members that are shown; undefined for all
 */
export async function draftsAmong(
  { audience, documents: { read, space } }: CompatSite,
  trees: readonly ContentTree[],
  wanted: ReadonlySet<string> | undefined,
): Promise<ReadonlySet<string>> {
  if (audience === 'public' || (wanted && !wanted.has('_originalId'))) return new Set()
  const entries = trees.map(({ root }) => root.entry)
  const ids = entries.map(({ content_data_id }) => content_data_id)
  const waiting = await pendingAmong(read, space, ids)
  const unpublished = entries.filter(({ status }) => status !== 'published')
  return new Set([...waiting, ...unpublished.map(({ content_data_id }) => content_data_id)])
}
