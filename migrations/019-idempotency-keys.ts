import { createTable, type Migration } from '../src/db/schema.js'

/** Responses to requests with an `Idempotency-Key`, kept for a day. */
export const idempotencyKeys: Migration = {
  name: '019-idempotency-keys',
  steps: [
    createTable(
      'idempotency_keys',
      {
        key_hash: 'text(64) key',
        holder: 'text(64)',
        state: 'text(16)',
        fingerprint: 'text(64)',
        claimed_at: 'time',
        status: 'integer?',
        headers: 'json?',
        body: 'longtext?',
      },
      { index: [['claimed_at']] },
    ),
  ],
}
