import { listDecoder, type RowOf } from '../columns.js'
import { byShape, type Query } from '../statements.js'
import { internalTables, tables } from '../tables.js'

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

const { backups } = tables
const decodeBackup = listDecoder(backups, 0)

/** The newest records of backups, all or those that are complete, newest first. */
export const newestBackups = byShape(
  (limit: number, which: 'all' | 'completed'): Query<never, RowOf<typeof backups>> => ({
    values: [],
    build: knex =>
      knex(backups.name)
        .select(Object.keys(backups.columns))
        .where(which === 'all' ? {} : { status: which })
        .orderBy('backup_id', 'desc')
        .limit(limit),
    lists: rows => rows.map(decodeBackup),
  }),
)
