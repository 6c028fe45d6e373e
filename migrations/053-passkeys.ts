import { addColumn, createTable, type Migration } from '../src/db/schema.js'

/**
 * Passkeys of accounts, the challenges that wait for an answer, and which sessions a passkey has opened. It only adds
 * (`+`); an older instance that deletes an account deletes its passkeys by the foreign key.
 */
export const passkeys: Migration = {
  name: '053+passkeys',
  steps: [
    createTable(
      'user_passkeys',
      {
        passkey_id: 'id key',
        user_id: 'id -> users.user_id cascade',
        name: 'text(255)',
        credential_hash: 'text(64) unique',
        credential_id: 'longtext',
        public_key: 'longtext',
        host: 'text(255)',
        sign_count: 'bigint',
        last_used: 'time?',
        date_created: 'time',
        date_modified: 'time',
      },
      { index: [['user_id']] },
    ),
    createTable(
      'passkey_challenges',
      {
        passkey_challenge_id: 'id key',
        challenge_hash: 'text(64) unique',
        session_id: 'id?',
        host: 'text(255)',
        expires_at: 'time',
      },
      { index: [['expires_at']] },
    ),
    addColumn('sessions', 'by_passkey', 'boolean', '0'),
  ],
}
