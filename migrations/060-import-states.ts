import { createTable, type Migration } from '../src/db/schema.js'

/** What the last import knew of each record, so that a later one can tell who has changed it. It only adds (`+`). */
export const importStates: Migration = {
  name: '060+import-states',
  steps: [
    createTable(
      'import_states',
      {
        state_key: 'text(64) key',
        system: 'text(32)',
        source: 'text(512)?',
        record_key: 'text(384)',
        record_id: 'id',
        source_hash: 'text(64)',
        own_hash: 'text(64)?',
      },
      { index: [['system', 'state_key']] },
    ),
  ],
}
