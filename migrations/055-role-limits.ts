import { addColumn, type Migration } from '../src/db/schema.js'

/** The part of the site that a role may change. It only adds (`+`); an older instance does not apply it. */
export const roleLimits: Migration = {
  name: '055+role-limits',
  steps: [addColumn('roles', 'limits', 'json?')],
}
