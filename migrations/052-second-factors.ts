import { addColumn, createTable, type Migration } from '../src/db/schema.js'

/**
 * The second factor of an account, and whether a role requires one. It only adds (`+`); an older instance that deletes an
 * account deletes its factor by the foreign key.
 */
export const secondFactors: Migration = {
  name: '052+second-factors',
  steps: [
    createTable(
      'user_second_factors',
      {
        second_factor_id: 'id key',
        user_id: 'id -> users.user_id cascade',
        secret: 'longtext',
        recovery_codes: 'json',
        recovery_codes_left: 'integer',
        confirmed_at: 'time?',
        last_step: 'bigint',
        wrong_codes: 'integer',
        wrong_since: 'time?',
        date_created: 'time',
        date_modified: 'time',
      },
      { unique: [['user_id']] },
    ),
    addColumn('roles', 'second_factor', 'boolean', '0'),
  ],
}
