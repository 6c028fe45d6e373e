import { listDecoder, type RowOf } from '../columns.js'
import { each, type Query } from '../statements.js'
import { internalTables } from '../tables.js'

const { contentChanges } = internalTables
const decode = listDecoder(contentChanges, 0)
export type ContentChange = RowOf<typeof contentChanges>

/** So many changes are read at once. */
export const changesAtOnce = 500

/** The changes after a commit, in the order of the commits. */
export const changesAfter: Query<'after', ContentChange> = {
  values: ['after'],
  build: (knex, value) =>
    knex(contentChanges.name)
      .select(Object.keys(contentChanges.columns))
      .where('change_id', '>', value('after'))
      .orderBy('change_id')
      .limit(changesAtOnce),
  lists: rows => rows.map(row => decode(row)),
}

/** The oldest stored changes, a bounded number at once. */
export const oldestChanges: Query<never, Pick<ContentChange, 'change_id' | 'changed_at'>> = {
  values: [],
  build: knex =>
    knex(contentChanges.name).select(['change_id', 'changed_at']).orderBy('change_id').limit(changesAtOnce),
  rows: each(row => ({ change_id: Number(row.change_id), changed_at: row.changed_at as string })),
}
