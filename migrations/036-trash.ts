import { createTable, type Migration, type Step } from '../src/db/schema.js'

const trash = (prefix: '' | 'admin_'): Step[] => [
  createTable(
    `${prefix}trash`,
    {
      trash_id: 'id key',
      content_data_id: 'id',
      datatype_id: 'id',
      parent_id: 'id?',
      title: 'text(1024)',
      slug: 'text(1024)?',
      entries: 'integer',
      deleted_by: 'id?',
      deleted_at: 'time',
    },
    { index: [['content_data_id'], ['deleted_at']] },
  ),
  createTable(`${prefix}trash_pieces`, {
    trash_piece_id: 'id key',
    trash_id: `id -> ${prefix}trash.trash_id`,
    kind: 'text(32)',
    records: 'json',
  }),
]

/** Deleted content, until it is brought back or its time is over. */
export const trashBin: Migration = {
  name: '036-trash',
  steps: [...trash(''), ...trash('admin_')],
}
