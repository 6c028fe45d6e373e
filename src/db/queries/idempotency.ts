import { each, type Query } from '../statements.js'
import { internalTables } from '../tables.js'

const { idempotencyKeys } = internalTables

/** Keys that were claimed before a time, a bounded number at once. */
export const oldKeys: Query<'before', string> = {
  values: ['before'],
  build: (knex, value) =>
    knex(idempotencyKeys.name)
      .select('key_hash')
      .where('claimed_at', '<', value('before'))
      .orderBy(['claimed_at', 'key_hash'])
      .limit(500),
  rows: each(row => row.key_hash as string),
}
