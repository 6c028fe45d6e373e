import { addColumn, createIndex, type Migration, type Step } from '../src/db/schema.js'

const records = (prefix: '' | 'admin_'): Step[] => {
  const [entries, values] = [`${prefix}public_index_entries`, `${prefix}public_index_values`]
  return [
    addColumn(entries, 'author_id', 'id?'),
    addColumn(values, 'content_field_id', 'id?'),
    addColumn(values, 'author_id', 'id?'),
    addColumn(values, 'date_created', 'time?'),
    addColumn(values, 'date_modified', 'time?'),
    createIndex(values, ['content_field_id', 'locale']),
  ]
}

/** Columns of published entries and values that lists show and queries do not compare. The next start fills them in. */
export const publishedRecords: Migration = {
  name: '025-published-records',
  steps: [...records(''), ...records('admin_')],
}
