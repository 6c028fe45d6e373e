import { createTable, type Migration } from '../src/db/schema.js'

/**
 * Deliveries with the time of their next attempt, so that one index finds those that are due. The rows of the old
 * table came from a version that could not send, and were never to be sent.
 */
export const deliveries: Migration = {
  name: '009-deliveries',
  steps: [
    { name: 'drop', statements: () => ['drop table if exists webhook_deliveries'] },
    createTable(
      'webhook_deliveries',
      {
        delivery_id: 'id key',
        webhook_id: 'id -> webhooks.webhook_id cascade',
        event: 'text(64)',
        payload: 'longtext',
        status: 'text(64)',
        attempts: 'integer',
        last_status_code: 'integer?',
        last_error: 'text(2048)?',
        next_retry_at: 'time?',
        created_at: 'time',
        completed_at: 'time?',
        due_at: 'time?',
        leased_by: 'text(64)?',
      },
      { index: [['due_at', 'delivery_id'], ['completed_at'], ['webhook_id', 'delivery_id']] },
    ),
  ],
}
