import { createTable, type Migration } from '../src/db/schema.js'

/** Work outside of the database that failed and is retried, such as sending a mail. */
export const pendingWork: Migration = {
  name: '023-pending-work',
  steps: [
    createTable(
      'pending_work',
      {
        work_id: 'id key',
        kind: 'text(64)',
        subject: 'text(512)',
        attempts: 'integer',
        due_at: 'time',
      },
      { index: [['due_at', 'work_id'], ['subject']] },
    ),
  ],
}
