import { addColumn, createTable, type Migration, type Step } from '../src/db/schema.js'

const index = (prefix: '' | 'admin_'): Step[] => [
  addColumn(`${prefix}datatypes`, 'is_public', 'boolean', '0'),
  createTable(
    `${prefix}public_index_entries`,
    {
      content_data_id: 'id key',
      datatype_id: 'id',
      root_id: 'id',
      parent_id: 'id?',
      route_id: 'id?',
      sort_order: 'integer',
      published_at: 'time?',
    },
    {
      index: [
        ['datatype_id', 'content_data_id'],
        ['datatype_id', 'published_at', 'content_data_id'],
        ['root_id'],
        ['parent_id', 'sort_order'],
        ['route_id'],
      ],
    },
  ),
  createTable(
    `${prefix}public_index_values`,
    {
      content_data_id: 'id key',
      field_id: 'id key',
      locale: 'text(64) key',
      position: 'integer key',
      field_value: 'longtext',
      text_key: 'text(191)',
      number_key: 'double?',
    },
    {
      index: [
        ['field_id', 'locale', 'text_key', 'content_data_id', 'position'],
        ['field_id', 'locale', 'number_key', 'content_data_id'],
      ],
    },
  ),
]

/**
 * An index of the public content, with typed values, for queries: the next start fills it. Also a column for the
 * datatypes that anybody may query.
 */
export const publicIndex: Migration = {
  name: '024-public-index',
  steps: [...index(''), ...index('admin_')],
}
