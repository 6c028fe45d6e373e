import { addColumn, type Migration } from '../src/db/schema.js'

/**
 * The part of the site that an API key may change, and how many requests it may make in a minute. It only adds (`+`); an
 * older instance does not apply them.
 */
export const keyLimits: Migration = {
  name: '058+key-limits',
  steps: [addColumn('tokens', 'limits', 'json?'), addColumn('tokens', 'rate_limit', 'integer?')],
}
