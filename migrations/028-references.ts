import { createTable, type Migration, type Step } from '../src/db/schema.js'

const references = (prefix: '' | 'admin_'): Step =>
  createTable(
    `${prefix}content_references`,
    {
      target_id: 'id key',
      holder_id: 'id key',
      content_field_id: 'id key',
      content_data_id: 'id',
      field_id: 'id',
    },
    { index: [['holder_id'], ['content_data_id']], byKey: true },
  )

/** Which values name which media items and entries. The next start fills it in. */
export const contentReferences: Migration = {
  name: '028-references',
  steps: [references(''), references('admin_')],
}
