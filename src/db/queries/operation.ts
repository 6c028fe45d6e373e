import { listDecoder, type RowOf } from '../columns.js'
import type { Query } from '../statements.js'
import { internalTables } from '../tables.js'

const { pendingWork } = internalTables
const decode = listDecoder(pendingWork, 0)

/** Work that is due, a bounded number at once. */
export const dueWork: Query<'now', RowOf<typeof pendingWork>> = {
  values: ['now'],
  build: (knex, value) =>
    knex(pendingWork.name)
      .select(Object.keys(pendingWork.columns))
      .where('due_at', '<=', value('now'))
      .orderBy(['due_at', 'work_id'])
      .limit(500),
  lists: rows => rows.map(decode),
}
