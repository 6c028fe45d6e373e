import { createTable, type Migration } from '../src/db/schema.js'

/** Automatic certificates that instances share: the newest one, and the answers to challenges of the authority. */
export const certificates: Migration = {
  name: '026-certificates',
  steps: [
    createTable('certificates', {
      name: 'text(300) key',
      sealed: 'longtext?',
      failures: 'integer',
      retry_at: 'time?',
    }),
    createTable(
      'acme_challenges',
      {
        challenge_key: 'text(300) key',
        key_authorization: 'text(512)',
        expires_at: 'time',
      },
      { index: [['expires_at']] },
    ),
  ],
}
