import { listDecoder } from './columns.js'
import { columnsOf, type EntryRow } from './queries.js'
import type { ListQuery } from './statements.js'
import type { ContentSpace } from './tables.js'

/** The reads that follow references from one tree to another. */

/** Entries by their ids, each with whether the public sees its tree as it was at the last publish. */
export function entriesWithWaiting(space: ContentSpace): ListQuery<{ entry: EntryRow; waits: boolean }> {
  const entry = listDecoder(space.contentData, 1)
  return {
    name: `entries with waiting ${space.contentData.name}`,
    build: (knex, values) =>
      knex(`${space.contentData.name} as c`)
        .leftJoin(`${space.publicTrees.name} as p`, 'p.root_id', 'c.root_id')
        .select(['p.version as p_version', ...columnsOf(space.contentData, 'c')])
        .whereIn('c.content_data_id', values)
        .orderBy('c.content_data_id'),
    lists: rows => rows.map(row => ({ entry: entry(row), waits: row[0] !== null })),
  }
}
