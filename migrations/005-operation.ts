import { createTable, type Migration } from '../src/db/schema.js'

/** Tables that running the service needs: the audit log, generations for caches, leases of jobs, backups. */
export const operation: Migration = {
  name: '005-operation',
  steps: [
    createTable(
      'audit_events',
      {
        audit_event_id: 'id key',
        occurred_at: 'time',
        operation: 'text(16)',
        table_name: 'text(64)',
        record_id: 'text(64)',
        old_values: 'json?',
        new_values: 'json?',
        user_id: 'id?',
        surface: 'text(16)',
        request_id: 'text(64)',
        ip_address: 'text(64)',
        user_agent: 'text(512)',
      },
      { index: [['table_name', 'record_id'], ['user_id']] },
    ),
    createTable('generations', { name: 'text(64) key', value: 'bigint' }),
    {
      name: 'generations-rows',
      statements: () => [
        "delete from generations where name in ('changes', 'pages')",
        "insert into generations (name, value) values ('changes', 0), ('pages', 0)",
      ],
    },
    createTable('leases', { name: 'text(255) key', holder: 'text(64)', expires_at: 'time' }),
    createTable('backups', {
      backup_id: 'id key',
      status: 'text(64)',
      started_at: 'time',
      completed_at: 'time?',
      size_bytes: 'bigint?',
      record_count: 'bigint?',
      checksum: 'text(64)?',
      storage: 'text(64)',
      location: 'text(1024)',
      triggered_by: 'id?',
      error_message: 'text(2048)?',
    }),
  ],
}
