import { createTable, type Migration } from '../src/db/schema.js'

/** Command lines that wait for somebody to approve their sign-in in a browser. It only adds (`+`). */
export const deviceSignIns: Migration = {
  name: '051+device-sign-ins',
  steps: [
    createTable(
      'device_sign_ins',
      {
        device_sign_in_id: 'id key',
        device_code_hash: 'text(64) unique',
        user_code_hash: 'text(64) unique',
        token_prefix: 'text(16)',
        host: 'text(64)',
        ip_address: 'text(64)',
        state: 'text(16)',
        created_at: 'time',
        polled_at: 'time?',
        expires_at: 'time',
      },
      { index: [['expires_at']] },
    ),
  ],
}
