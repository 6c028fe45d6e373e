import { aliasedColumns, listDecoder } from '../columns.js'
import { bySpace, type ListQuery } from '../statements.js'
import type { ContentSpace } from '../tables.js'
import type { EntryRow } from './trees.js'

/** The reads that follow references from one tree to another. */

/** Entries by their ids, each with whether the public sees its tree as it was at the last publish. */
export const entriesWithWaiting = bySpace(
  (space: ContentSpace): ListQuery<{ entry: EntryRow; waits: boolean }> => {
    const entry = listDecoder(space.contentData, 1)
    return {
      build: (knex, values) =>
        knex(`${space.contentData.name} as c`)
          .leftJoin(`${space.pendingTrees.name} as p`, 'p.root_id', 'c.root_id')
          .select(['p.version as p_version', ...aliasedColumns(space.contentData, 'c')])
          .whereIn('c.content_data_id', values)
          .orderBy('c.content_data_id'),
      lists: rows => rows.map(row => ({ entry: entry(row), waits: row[0] !== null })),
    }
  },
)

/** Trees with a published entry whose relations name one of the entries, in no order. */
export const referrers = bySpace(
  (space: ContentSpace): ListQuery<string> => ({
    build: (knex, values) =>
      knex(`${space.contentReferences.name} as r`)
        .join(`${space.fields.name} as d`, 'd.field_id', 'r.field_id')
        .join(`${space.contentData.name} as c`, 'c.content_data_id', 'r.content_data_id')
        .distinct('c.root_id')
        .whereIn('r.target_id', values)
        .where('r.holder_id', knex.ref('r.content_field_id'))
        .where({ 'd.field_type': 'relation', 'c.status': 'published' }),
    lists: rows => rows.map(row => row[0] as string),
  }),
)

/** Trees whose public state, kept while changes wait, names one of the entries, in no order. */
export const keptReferrers = bySpace(
  (space: ContentSpace): ListQuery<string> => ({
    build: (knex, values) =>
      knex(space.contentReferences.name)
        .distinct('holder_id')
        .whereIn('target_id', values)
        .whereNot('holder_id', knex.ref('content_field_id')),
    lists: rows => rows.map(row => row[0] as string),
  }),
)

/** Trees whose public state, kept while changes wait, has one of the entries in it. */
export const keptTrees = bySpace(
  (space: ContentSpace): ListQuery<string> => ({
    build: (knex, values) =>
      knex(space.publishedSnapshots.name).distinct('root_id').whereIn('content_data_id', values),
    lists: rows => rows.map(row => row[0] as string),
  }),
)
