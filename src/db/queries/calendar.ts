import { bySpace, each, type RowsQuery } from '../statements.js'
import type { ContentSpace } from '../tables.js'

/** A time of an entry: a schedule, or its last publish. */
type EntryTime = 'publish_at' | 'unpublish_at' | 'published_at'

/**
 * Entries with such a time from `from` until `until`, in its order. Of publishes only pages and shared content are
 * listed, as all that is in them is published with them.
 */
export const datedEntries = bySpace(
  (
    space: ContentSpace,
    column: EntryTime,
    limit: number,
  ): RowsQuery<'from' | 'until', { id: string; at: string; changed: string }> => ({
    values: ['from', 'until'],
    build(knex, value) {
      const query = knex(space.contentData.name)
        .select('content_data_id as id', `${column} as at`, 'date_modified as changed')
        .where(column, '>=', value('from'))
        .where(column, '<', value('until'))
      if (column === 'published_at') query.whereNull('parent_id').where('status', 'published')
      return query.orderBy([column, 'content_data_id']).limit(limit)
    },
    rows: each(row => ({ id: row.id as string, at: row.at as string, changed: row.changed as string })),
  }),
)
