import { addColumn, type Migration } from '../src/db/schema.js'

/** Keys that may do less than their user. */
export const limitedKeys: Migration = {
  name: '020-limited-keys',
  steps: [addColumn('tokens', 'permissions', 'json?'), addColumn('tokens', 'read_only', 'boolean', '0')],
}
