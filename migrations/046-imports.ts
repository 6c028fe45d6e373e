import { createTable, type Migration } from '../src/db/schema.js'

/** Imports that requests have started, and what became of each of their records. It only adds (`+`). */
export const imports: Migration = {
  name: '046+imports',
  steps: [
    createTable('imports', {
      import_id: 'id key',
      system: 'text(32)',
      status: 'text(16)',
      source: 'text(512)',
      address: 'longtext?',
      place: 'text(512)?',
      is_public: 'boolean',
      with_files: 'boolean',
      is_preview: 'boolean',
      doing: 'text(32)',
      done: 'bigint',
      total: 'bigint',
      preview: 'json?',
      result: 'json?',
      error_message: 'text(2000)?',
      started_at: 'time?',
      completed_at: 'time?',
      created_by: 'id',
      date_created: 'time',
      date_modified: 'time',
    }),
    createTable(
      'import_records',
      { record_key: 'text(64) key', import_id: 'id', is_problem: 'boolean', report: 'json' },
      { index: [['import_id', 'is_problem', 'record_key']] },
    ),
  ],
}
