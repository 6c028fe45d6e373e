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

/** A value with the id and time of its record, where it was stored with them. */
export type RecordedValue = LeanValue & {
  readonly [Name in 'content_field_id' | 'date_modified']: string | null
}

/** The same with as much of their records as formats need, in the same way. */
export const recordedValues = bySpace(
  (space: ContentSpace): ListQuery<RecordedValue> => ({
    build: (knex, values) =>
      knex(`${space.publicValues.name} as v`)
        .select([valueColumns, 'v.content_field_id', 'v.date_modified'])
        .whereIn('v.content_data_id', values)
        .where('v.position', 0),
    // Written out, for a value is read for each text of an answer.
    lists: rows =>
      rows.map(row => ({
        content_data_id: row[0] as string,
        field_id: row[1] as string,
        locale: row[2] as string,
        field_value: row[3] as string,
        content_field_id: row[4] as string | null,
        date_modified: row[5] as string | null,
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

/** Entries that are right under these, so many at most and in no order. */
export const childEntries = bySpace(
  (space: ContentSpace, most: number): ListQuery<ShownEntry> => ({
    build: (knex, values) =>
      knex(space.publicEntries.name)
        .select(['content_data_id', 'datatype_id', 'parent_id', 'route_id', 'sort_order', 'published_at'])
        .whereIn('parent_id', values)
        .limit(most),
    lists: rows =>
      rows.map(row => ({
        content_data_id: row[0] as string,
        datatype_id: row[1] as string,
        parent_id: row[2] as string | null,
        route_id: row[3] as string | null,
        sort_order: row[4] as number,
        published_at: row[5] as string | null,
      })),
  }),
)
