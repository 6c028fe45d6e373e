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

/**
 * Relation values that may name one of the entries, each with the tree that it is published in, in no order. A list of
 * ids is given in any case. Only relation fields are looked at; a cross join makes SQLite begin with them, for they are few.
 */
export const referrers = bySpace(
  (space: ContentSpace): ListQuery<{ root: string; value: string }> => ({
    build: (knex, values) =>
      knex(`${space.fields.name} as d`)
        .crossJoin(knex.raw('?? as ??', [space.contentFields.name, 'f']))
        .where('f.field_id', knex.ref('d.field_id'))
        .join(`${space.contentData.name} as c`, 'c.content_data_id', 'f.content_data_id')
        .select(['c.root_id as c_root', 'f.field_value as f_value'])
        .where({ 'd.field_type': 'relation', 'c.status': 'published' })
        .where(either => either.whereIn('f.field_value', values).orWhere('f.field_value', 'like', '[%')),
    lists: rows => rows.map(row => ({ root: row[0] as string, value: row[1] as string })),
  }),
)

/** Trees whose public state, kept while changes wait, has one of the texts in it. The texts are given as patterns. */
export const keptReferrers = bySpace(
  (space: ContentSpace): ListQuery<string> => ({
    build: (knex, patterns) =>
      knex(space.publishedSnapshots.name)
        .distinct('root_id')
        .where(either => {
          for (const pattern of patterns) either.orWhere('snapshot', 'like', pattern)
        })
        .orderBy('root_id'),
    lists: rows => rows.map(row => row[0] as string),
  }),
)
