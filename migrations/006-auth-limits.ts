import { createTable, type Migration } from '../src/db/schema.js'

/** How often each address has tried to sign in lately, where several instances count together. */
export const authLimits: Migration = {
  name: '006-auth-limits',
  steps: [createTable('auth_limits', { key: 'text(255) key', points: 'integer', expire: 'bigint?' })],
}
