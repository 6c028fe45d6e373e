import { bySpace, type ListQuery } from '../statements.js'
import type { ContentSpace } from '../tables.js'

/** The reads that follow references from one tree to another, in the public book. */

/** Trees with an entry whose relations name one of the entries, in no order. */
export const referrers = bySpace(
  (space: ContentSpace): ListQuery<string> => ({
    build: (knex, values) =>
      knex(`${space.publicReferences.name} as r`)
        .join(`${space.fields.name} as d`, 'd.field_id', 'r.field_id')
        .join(`${space.publicEntries.name} as e`, 'e.content_data_id', 'r.content_data_id')
        .distinct('e.root_id')
        .whereIn('r.target_id', values)
        .where('d.field_type', 'relation'),
    lists: rows => rows.map(row => row[0] as string),
  }),
)

/** The trees of the entries that the relations of a tree name, as far as the public sees them, in no order. */
export const shownTrees = bySpace(
  (space: ContentSpace): ListQuery<string> => ({
    build: (knex, values) =>
      knex(`${space.publicReferences.name} as r`)
        .join(`${space.fields.name} as d`, 'd.field_id', 'r.field_id')
        .join(`${space.publicEntries.name} as e`, 'e.content_data_id', 'r.content_data_id')
        .join(`${space.publicEntries.name} as t`, 't.content_data_id', 'r.target_id')
        .distinct('t.root_id')
        .whereIn('e.root_id', values)
        .where('d.field_type', 'relation'),
    lists: rows => rows.map(row => row[0] as string),
  }),
)

/** Trees that have one of the entries in them, in no order. */
export const treesWith = bySpace(
  (space: ContentSpace): ListQuery<string> => ({
    build: (knex, values) =>
      knex(space.publicEntries.name).distinct('root_id').whereIn('content_data_id', values),
    lists: rows => rows.map(row => row[0] as string),
  }),
)
