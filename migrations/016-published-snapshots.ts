import { createTable, dropTable, type Migration, type Step } from '../src/db/schema.js'

/** Rows of one table into another that is new. Can be repeated until the old table is dropped. */
const copyRows = (to: string, columns: readonly string[], from: string, values: readonly string[]): Step => ({
  name: `${to}-rows`,
  statements: ({ quote }) => [
    `delete from ${quote(to)}`,
    `insert into ${quote(to)} (${columns.map(quote)}) select ${values.map(quote)} from ${quote(from)}`,
  ],
})

function renamed(prefix: '' | 'admin_'): Step[] {
  const tree = ['root_id', 'version', 'since']
  const entry = ['root_id', 'content_data_id', 'snapshot']
  const trees = `${prefix}pending_trees`
  const snapshots = `${prefix}published_snapshots`
  return [
    createTable(trees, { root_id: 'id key', version: 'integer', since: 'time' }, { byKey: true }),
    copyRows(trees, tree, `${prefix}public_trees`, tree),
    dropTable(`${prefix}public_trees`),
    createTable(
      snapshots,
      { published_snapshot_id: 'id key', root_id: 'id', content_data_id: 'id', snapshot: 'json' },
      { index: [['root_id'], ['content_data_id']] },
    ),
    copyRows(snapshots, ['published_snapshot_id', ...entry], `${prefix}public_entries`, [
      'public_entry_id',
      ...entry,
    ]),
    dropTable(`${prefix}public_entries`),
  ]
}

/** Trees with unpublished changes, and their published state, under clearer names. */
export const publishedSnapshots: Migration = {
  name: '016-published-snapshots',
  steps: [...renamed(''), ...renamed('admin_')],
}
