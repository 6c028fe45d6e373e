import { createTable, type Migration } from '../src/db/schema.js'

/** Subscriptions to events, and their deliveries. */
export const webhooks: Migration = {
  name: '004-webhooks',
  steps: [
    createTable('webhooks', {
      webhook_id: 'id key',
      name: 'text(255)',
      url: 'text(2048)',
      secret: 'text(512)',
      previous_secret: 'text(512)?',
      previous_secret_until: 'time?',
      events: 'json',
      is_active: 'boolean',
      headers: 'json',
      author_id: 'id -> users.user_id',
      date_created: 'time',
      date_modified: 'time',
    }),
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
        leased_by: 'text(64)?',
        leased_until: 'time?',
        created_at: 'time',
        completed_at: 'time?',
      },
      { index: [['status', 'next_retry_at'], ['completed_at']] },
    ),
  ],
}
