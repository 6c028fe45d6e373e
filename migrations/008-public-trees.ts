import { createTable, type Migration, type Step } from '../src/db/schema.js'

const publicTrees = (prefix: '' | 'admin_'): Step[] => [
  createTable(`${prefix}public_trees`, { root_id: 'id key', version: 'integer', since: 'time' }),
  createTable(
    `${prefix}public_entries`,
    { public_entry_id: 'id key', root_id: 'id', content_data_id: 'id', snapshot: 'json' },
    { index: [['root_id'], ['content_data_id']] },
  ),
]

/** The public side of trees with unpublished changes. */
export const waiting: Migration = {
  name: '008-public-trees',
  steps: [...publicTrees(''), ...publicTrees('admin_')],
}
