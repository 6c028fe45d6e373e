import { createTable, type Migration } from '../src/db/schema.js'

/** A row for each running instance. It only adds (`+`). */
export const instances: Migration = {
  name: '041+instances',
  steps: [
    createTable('instances', {
      instance_id: 'id key',
      version: 'text(64)',
      schema_number: 'integer',
      role: 'text(16)',
      host: 'text(255)',
      pid: 'integer',
      started_at: 'time',
      beat_at: 'time',
      clock_ms: 'bigint',
    }),
  ],
}
