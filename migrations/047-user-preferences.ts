import { createTable, type Migration } from '../src/db/schema.js'

/**
 * What accounts keep for themselves: saved views of lists, and the address of their calendar. It only adds (`+`); an older
 * instance that deletes an account deletes them by the foreign key.
 */
export const userPreferences: Migration = {
  name: '047+user-preferences',
  steps: [
    createTable(
      'user_preferences',
      {
        user_preference_id: 'id key',
        user_id: 'id -> users.user_id cascade',
        kind: 'text(32)',
        label: 'text(80)',
        value: 'text(2000)',
        date_created: 'time',
        date_modified: 'time',
      },
      { unique: [['user_id', 'kind', 'label']] },
    ),
  ],
}
