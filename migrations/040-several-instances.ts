import { createTable, type Migration } from '../src/db/schema.js'

/** What several instances share: a row for each setting that requests have changed. It only adds (`+`). */
export const severalInstances: Migration = {
  name: '040+several-instances',
  steps: [createTable('settings', { name: 'text(64) key', value: 'longtext' })],
}
