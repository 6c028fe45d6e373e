import { createIndex, createTable, type Migration } from '../src/db/schema.js'

/** The ids that imported records had in another system. Also an index for the order of changes. */
export const sourceIds: Migration = {
  name: '038-source-ids',
  steps: [
    createTable(
      'source_ids',
      {
        source_key: 'text(384) key',
        content_data_id: 'id?',
        media_id: 'id?',
      },
      { index: [['content_data_id'], ['media_id']] },
    ),
    ...['', 'admin_'].map(prefix =>
      createIndex(`${prefix}public_entries`, ['datatype_id', 'date_modified', 'content_data_id']),
    ),
  ],
}
