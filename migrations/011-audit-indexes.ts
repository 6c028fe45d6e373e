import { createIndex, dropIndex, type Migration } from '../src/db/schema.js'

const table = 'audit_events'

/** The events of a table, a record or a user in the order of the requests for them, without sorting them all. */
export const auditIndexes: Migration = {
  name: '011-audit-indexes',
  steps: [
    dropIndex(table, ['table_name', 'record_id']),
    dropIndex(table, ['user_id']),
    createIndex(table, ['table_name', 'audit_event_id']),
    createIndex(table, ['record_id', 'audit_event_id']),
    createIndex(table, ['user_id', 'audit_event_id']),
  ],
}
