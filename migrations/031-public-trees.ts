import { createTable, type Migration } from '../src/db/schema.js'

/** When what the public sees of a tree last changed, for lists of pages. A tree without a row has not since then. */
export const publicTrees: Migration = {
  name: '031-public-trees',
  steps: ['', 'admin_'].map(prefix =>
    createTable(`${prefix}public_index_trees`, { root_id: 'id key', modified: 'time' }),
  ),
}
