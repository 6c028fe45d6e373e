import type { RowOf } from '../columns.js'
import { bySpace, type ListQuery } from '../statements.js'
import type { ContentSpace } from '../tables.js'
import { type LeanValue, leanValue } from './trees.js'

/** Reads entries of the public index that were found, as much of them as queries show. */

const valueColumns = {
  v_id: 'v.content_data_id',
  v_field: 'v.field_id',
  v_locale: 'v.locale',
  v_value: 'v.field_value',
}
const valuesOf = (rows: readonly (readonly unknown[])[]): LeanValue[] => rows.map(leanValue.decode)

/** All that is shown of entries, in no order. */
export const shownValues = bySpace(
  (space: ContentSpace): ListQuery<LeanValue> => ({
    build: (knex, values) =>
      knex(`${space.publicValues.name} as v`)
        .select(valueColumns)
        .whereIn('v.content_data_id', values)
        .where('v.position', 0),
    lists: valuesOf,
  }),
)

/** A value with the members of its record, where it was stored with them. */
export type WholeValue = LeanValue & {
  readonly [Name in 'content_field_id' | 'author_id' | 'date_created' | 'date_modified']: string | null
}

const recordColumns = ['v.content_field_id', 'v.author_id', 'v.date_created', 'v.date_modified']

/** The same with their records, in the same way. */
export const wholeValues = bySpace(
  (space: ContentSpace): ListQuery<WholeValue> => ({
    build: (knex, values) =>
      knex(`${space.publicValues.name} as v`)
        .select([valueColumns, ...recordColumns])
        .whereIn('v.content_data_id', values)
        .where('v.position', 0),
    lists: rows =>
      rows.map(row => ({
        ...leanValue.decode(row),
        content_field_id: row[4] as string | null,
        author_id: row[5] as string | null,
        date_created: row[6] as string | null,
        date_modified: row[7] as string | null,
      })),
  }),
)

/** Texts and slugs of entries, by which they are called. */
export const namingValues = bySpace(
  (space: ContentSpace): ListQuery<LeanValue> => ({
    build: (knex, values) =>
      knex(`${space.publicValues.name} as v`)
        .join(`${space.fields.name} as d`, 'd.field_id', 'v.field_id')
        .select(valueColumns)
        .whereIn('v.content_data_id', values)
        .where('v.position', 0)
        .whereIn('d.field_type', ['text', 'slug'])
        .orderBy(['v.content_data_id', 'v.field_id', 'v.locale']),
    lists: valuesOf,
  }),
)

/** What queries need of an entry beside its values. */
export type ShownEntry = Pick<
  RowOf<ContentSpace['publicEntries']>,
  'content_data_id' | 'datatype_id' | 'parent_id' | 'route_id' | 'sort_order' | 'published_at'
>

/** Entries by their ids, in no order. */
export const shownEntries = bySpace(
  (space: ContentSpace): ListQuery<Omit<ShownEntry, 'parent_id' | 'sort_order'>> => ({
    build: (knex, values) =>
      knex(space.publicEntries.name)
        .select(['content_data_id', 'datatype_id', 'route_id', 'published_at'])
        .whereIn('content_data_id', values),
    lists: rows =>
      rows.map(row => ({
        content_data_id: row[0] as string,
        datatype_id: row[1] as string,
        route_id: row[2] as string | null,
        published_at: row[3] as string | null,
      })),
  }),
)
