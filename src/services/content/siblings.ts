import { withoutSecrets } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { earlierSiblings } from '../../db/queries/content.js'
import type { Slice } from '../../db/reader.js'
import type { ContentSpace, EntryRow } from '../../db/tables.js'

/** Entries under one parent, in their order. */
export const siblings = (db: Database, space: ContentSpace) => ({
  /** @param slice with `newestFirst` from the last to the first */
  async list(parent_id: string, slice: Pick<Slice, 'limit' | 'offset' | 'newestFirst'>) {
    const rows = await db.findAll(space.contentData, { parent_id }, { ...slice, order: 'sort_order' })
    return rows.map(row => withoutSecrets(space.contentData, row))
  },
  async before({
    parent_id,
    sort_order,
    content_data_id,
  }: Pick<EntryRow, 'parent_id' | 'sort_order' | 'content_data_id'>) {
    const values = { parent: parent_id, order: sort_order, id: content_data_id }
    return (await db.query(earlierSiblings(space), values))[0] ?? 0
  },
})
