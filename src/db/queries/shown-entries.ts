import type { RowOf } from '../columns.js'
import { bySpace, type ListQuery } from '../statements.js'
import type { ContentSpace, ValueRow } from '../tables.js'
import type { LeanValue } from './trees.js'

/** Reads entries of the public book that were found, as much of them as queries show. */

const valueColumns = {
  v_id: 'v.content_data_id',
  v_field: 'v.field_id',
  v_locale: 'v.locale',
  v_value: 'v.field_value',
}

/** A value with the id and time of its record. */
export type RecordedValue = LeanValue & Pick<ValueRow, 'content_field_id' | 'date_modified'>

const recordColumns = ['v.content_field_id', 'v.date_modified'] as const
// Written out, for a value is read for each text of an answer.
const recorded = (row: readonly unknown[]): RecordedValue => ({
  content_data_id: row[0] as string,
  field_id: row[1] as string,
  locale: row[2] as string,
  field_value: row[3] as string,
  content_field_id: row[4] as string,
  date_modified: row[5] as string,
})

/** All that is shown of entries, in no order. */
export const recordedValues = bySpace(
  (space: ContentSpace): ListQuery<RecordedValue> => ({
    build: (knex, values) =>
      knex(`${space.publicValues.name} as v`)
        .select([valueColumns, ...recordColumns])
        .whereIn('v.content_data_id', values)
        .where('v.position', 0),
    lists: rows => rows.map(recorded),
  }),
)

/** Their whole records, but for the route of their tree. */
export const wholeValues = bySpace(
  (space: ContentSpace): ListQuery<Omit<ValueRow, 'route_id'>> => ({
    build: (knex, values) =>
      knex(`${space.publicValues.name} as v`)
        .select([valueColumns, ...recordColumns, 'v.author_id', 'v.date_created'])
        .whereIn('v.content_data_id', values)
        .where('v.position', 0),
    lists: rows =>
      rows.map(row => ({
        ...recorded(row),
        author_id: row[6] as string,
        date_created: row[7] as string,
      })),
  }),
)

/** Texts and slugs of entries, by which they are called. */
export const namingValues = bySpace(
  (space: ContentSpace): ListQuery<RecordedValue> => ({
    build: (knex, values) =>
      knex(`${space.publicValues.name} as v`)
        .join(`${space.fields.name} as d`, 'd.field_id', 'v.field_id')
        .select([valueColumns, ...recordColumns])
        .whereIn('v.content_data_id', values)
        .where('v.position', 0)
        .whereIn('d.field_type', ['text', 'slug'])
        .orderBy(['v.content_data_id', 'v.field_id', 'v.locale']),
    lists: rows => rows.map(recorded),
  }),
)

/** The beginnings of texts that describe entries. */
export const describingValues = bySpace(
  (space: ContentSpace, names: string, characters: number): ListQuery<LeanValue> => ({
    build: (knex, values) =>
      knex(`${space.publicValues.name} as v`)
        .join(`${space.fields.name} as d`, 'd.field_id', 'v.field_id')
        .select({
          v_id: 'v.content_data_id',
          v_field: 'v.field_id',
          v_locale: 'v.locale',
          v_value: knex.raw('substr(v.field_value, 1, ?)', [characters]),
        })
        .whereIn('v.content_data_id', values)
        .where('v.position', 0)
        .whereIn('d.field_type', ['text', 'textarea'])
        .whereIn('d.name', names.split(' '))
        .orderBy(['v.content_data_id', 'v.field_id', 'v.locale']),
    lists: rows =>
      rows.map(row => ({
        content_data_id: row[0] as string,
        field_id: row[1] as string,
        locale: row[2] as string,
        field_value: row[3] as string,
      })),
  }),
)

/** The columns of an entry that queries need beside its values. */
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

/** The children of these entries, at most `most` and in no order. */
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
