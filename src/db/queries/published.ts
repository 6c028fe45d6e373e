import type { Knex } from 'knex'
import { asSizedKeys, bySpace, each, type ListQuery, type Query, type SizedKey } from '../statements.js'
import type { ValueRow } from '../tables.js'
import { type ContentSpace, tables } from '../tables.js'
import { asMediaReferences, type MediaReference } from './media-reference.js'

/**
 * The content that the public sees, as the records that the lists of management show. Each statement reads the public
 * book itself, so it returns no row that was public only when an earlier statement ran.
 */

/** A piece of a list. */
export type ListSlice = {
  limit: number
  offset: number
  after: boolean
}

function sliced(query: Knex.QueryBuilder, key: string, { limit, offset }: ListSlice): Knex.QueryBuilder {
  if (offset > 0) query.offset(offset)
  return query.orderBy(key).limit(limit)
}

export type ValueFilter = 'content_data_id' | 'field_id' | 'locale' | 'route_id'

const ofValues = ['content_data_id', 'field_id', 'locale', 'route_id', 'after'] as const

const withTree = (query: Knex.QueryBuilder, { publicEntries }: ContentSpace) =>
  query
    .join(`${publicEntries.name} as e`, 'e.content_data_id', 'v.content_data_id')
    .join(`${publicEntries.name} as r`, 'r.content_data_id', 'e.root_id')

/** @param localized whether values of locales are shown: those of the enabled ones */
function shownValues(knex: Knex, query: Knex.QueryBuilder, localized: boolean): Knex.QueryBuilder {
  // A list's single ids have no id of a record. Said so that the index of the ids serves also without a filter.
  query.where('v.content_field_id', '>', '')
  if (!localized) return query.where('v.locale', '')
  const enabled = knex(tables.locales.name).select('code').where('is_enabled', 1)
  return query.where(either => either.where('v.locale', '').orWhereIn('v.locale', enabled))
}

function filteredValues(space: ContentSpace, filters: readonly ValueFilter[], localized: boolean) {
  return (knex: Knex, value: (name: ValueFilter) => string) => {
    const query = knex(`${space.publicValues.name} as v`)
    if (filters.includes('route_id')) withTree(query, space)
    for (const filter of filters)
      query.where(filter === 'route_id' ? 'r.route_id' : `v.${filter}`, value(filter))
    return shownValues(knex, query, localized)
  }
}

/** Keys and sizes of values that the public sees and all filters fit. */
export const publishedValueKeys = bySpace(
  (
    space: ContentSpace,
    filters: readonly ValueFilter[],
    localized: boolean,
    slice: ListSlice,
  ): Query<ValueFilter | 'after', SizedKey> => ({
    values: ofValues,
    build(knex, value) {
      const query = filteredValues(
        space,
        filters,
        localized,
      )(knex, value).select(['v.content_field_id as key', knex.raw('octet_length(v.field_value) as size')])
      if (slice.after) query.where('v.content_field_id', '>', value('after'))
      return sliced(query, 'v.content_field_id', slice)
    },
    rows: asSizedKeys,
  }),
)

export const publishedValueCount = bySpace(
  (
    space: ContentSpace,
    filters: readonly ValueFilter[],
    localized: boolean,
  ): Query<ValueFilter | 'after', number> => ({
    values: ofValues,
    build: (knex, value) => filteredValues(space, filters, localized)(knex, value).count({ n: '*' }),
    rows: each(row => Number(row.n)),
  }),
)

/** Values that the public sees, by their ids. */
export const publishedValues = bySpace(
  (space: ContentSpace, localized: boolean): ListQuery<ValueRow> => ({
    build: (knex, values) =>
      shownValues(knex, withTree(knex(`${space.publicValues.name} as v`), space), localized)
        .whereIn('v.content_field_id', values)
        .select([
          'v.content_field_id as v_id',
          'v.content_data_id as v_entry',
          'v.field_id as v_field',
          'v.locale as v_locale',
          'v.field_value as v_value',
          'r.route_id as r_route',
          'v.author_id as v_author',
          'v.date_created as v_created',
          'v.date_modified as v_modified',
        ])
        .orderBy('v.content_field_id'),
    lists: rows =>
      rows.map(row => ({
        content_field_id: row[0] as string,
        content_data_id: row[1] as string,
        field_id: row[2] as string,
        locale: row[3] as string,
        field_value: row[4] as string,
        route_id: row[5] as string | null,
        author_id: row[6] as string,
        date_created: row[7] as string,
        date_modified: row[8] as string,
      })),
  }),
)

/** The public values that name a media item. */
export const publishedMediaReferences = bySpace(
  (space: ContentSpace, localized: boolean): Query<'media', MediaReference> => ({
    values: ['media'],
    build: (knex, value) =>
      shownValues(
        knex,
        knex(`${space.publicReferences.name} as r`)
          .join(`${space.publicValues.name} as v`, 'v.content_field_id', 'r.content_field_id')
          .join(`${space.publicEntries.name} as e`, 'e.content_data_id', 'v.content_data_id')
          .join(`${space.fields.name} as d`, 'd.field_id', 'v.field_id'),
        localized,
      )
        .where('r.target_id', value('media'))
        .whereIn('d.field_type', ['media', 'richtext'])
        .select(['v.content_field_id', 'v.content_data_id', 'v.field_id', 'v.locale', 'e.root_id']),
    lists: asMediaReferences,
  }),
)

export type RouteFilter = 'slug' | 'author_id'

const ofRoutes = ['slug', 'author_id', 'after'] as const

function filteredRoutes(space: ContentSpace, filters: readonly RouteFilter[]) {
  return (knex: Knex, value: (name: RouteFilter) => string) => {
    const query = knex(`${space.routes.name} as o`)
    for (const filter of filters) query.where(`o.${filter}`, value(filter))
    return query.whereExists(
      knex(`${space.publicEntries.name} as e`)
        .select(knex.raw('1'))
        .where('e.route_id', knex.ref('o.route_id')),
    )
  }
}

/** Keys of routes with a page that the public sees. */
export const publishedRouteKeys = bySpace(
  (
    space: ContentSpace,
    filters: readonly RouteFilter[],
    slice: ListSlice,
  ): Query<RouteFilter | 'after', SizedKey> => ({
    values: ofRoutes,
    build(knex, value) {
      const query = filteredRoutes(space, filters)(knex, value).select([
        'o.route_id as key',
        knex.raw('coalesce(octet_length(o.translations), 0) as size'),
      ])
      if (slice.after) query.where('o.route_id', '>', value('after'))
      return sliced(query, 'o.route_id', slice)
    },
    rows: asSizedKeys,
  }),
)

export const publishedRouteCount = bySpace(
  (space: ContentSpace, filters: readonly RouteFilter[]): Query<RouteFilter | 'after', number> => ({
    values: ofRoutes,
    build: (knex, value) => filteredRoutes(space, filters)(knex, value).count({ n: '*' }),
    rows: each(row => Number(row.n)),
  }),
)
