import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'

/**
 * Notes that what the public sees of these trees has changed, or that it sees nothing of them any more.
 * @param entering trees that come into the index: what is noted of one already was noted before the index was made anew
 */
export async function noteModified(
  tx: Writer,
  { publicEntries, publicTrees }: ContentSpace,
  roots: ReadonlySet<string>,
  entering: ReadonlySet<string>,
): Promise<void> {
  if (roots.size === 0) return
  const noted = await tx.findIn(
    publicTrees,
    'root_id',
    [...roots].filter(root => entering.has(root)),
  )
  const kept = new Set(noted.map(({ root_id }) => root_id))
  const ids = [...roots].filter(root => !kept.has(root))
  const seen = (await tx.findIn(publicEntries, 'content_data_id', ids)).map(row => row.content_data_id)
  await tx.deleteAllInternal(publicTrees, 'root_id', ids)
  await tx.insertAllInternal(
    publicTrees,
    seen.map(root_id => ({ root_id, modified: tx.now })),
  )
}
