import type { Knex } from 'knex'
import type { RowOf } from '../columns.js'
import { asSizedKeys, bySpace, each, type Query, type SizedKey, sizedKeys } from '../statements.js'
import type { ContentSpace } from '../tables.js'
import { asMediaReferences, type MediaReference } from './media-reference.js'

/** Reads of media that are more than one table by its columns. */

export type MediaRow = RowOf<ContentSpace['media']>
/** The order of the list: by the time of the upload, by the shown name, or by the size of the file. */
export const mediaOrders = ['uploaded', 'name', 'size'] as const
export type MediaOrder = (typeof mediaOrders)[number]

export type MediaSlice = {
  limit: number
  offset: number
  /** Whether the list continues behind a key. Only in the order of the uploads. */
  after: boolean
  by: MediaOrder
  descending: boolean
}

/** Columns of the table: `size` alone is the length of the row in this statement. */
const orderSql = (by: Exclude<MediaOrder, 'uploaded'>, media: string): string =>
  by === 'size' ? `${media}.size` : `lower(coalesce(nullif(${media}.display_name, ''), ${media}.name))`

export type MediaFilter = 'folder' | 'root' | 'type' | 'kind' | 'text' | 'tag' | 'bare'

function filteredMedia(space: ContentSpace, filters: readonly MediaFilter[]) {
  return (knex: Knex, value: (name: MediaFilter) => string) => {
    const query = knex(space.media.name)
    for (const filter of filters)
      if (filter === 'folder') query.where('folder_id', value('folder'))
      else if (filter === 'root') query.whereNull('folder_id')
      else if (filter === 'type') query.where('mimetype', value('type'))
      else if (filter === 'bare') query.where('alt_text', '')
      else
        query.whereRaw("?? like ? escape '!'", [
          filter === 'kind' ? 'mimetype' : 'search_text',
          value(filter),
        ])
    return query
  }
}

/** Keys and sizes of media; the rows are read by `Reader.sized`. */
export const mediaKeys = bySpace(
  (
    space: ContentSpace,
    filters: readonly MediaFilter[],
    slice: MediaSlice,
  ): Query<MediaFilter | 'after', SizedKey> => {
    const filtered = filteredMedia(space, filters)
    const { limit, offset, after, by, descending } = slice
    const direction = descending ? 'desc' : 'asc'
    return {
      values: ['folder', 'root', 'type', 'kind', 'text', 'tag', 'bare', 'after'],
      build(knex, value) {
        const query = filtered(knex, value).select(sizedKeys(knex, space.media))
        if (after) query.where('media_id', descending ? '<' : '>', value('after'))
        if (offset > 0) query.offset(offset)
        if (by !== 'uploaded') query.orderByRaw(`${orderSql(by, space.media.name)} ${direction}`)
        return query.orderBy('media_id', direction).limit(limit)
      },
      rows: asSizedKeys,
    }
  },
)

export const mediaCount = bySpace(
  (space: ContentSpace, filters: readonly MediaFilter[]): Query<MediaFilter, number> => ({
    values: ['folder', 'root', 'type', 'kind', 'text', 'tag', 'bare'],
    build: (knex, value) => filteredMedia(space, filters)(knex, value).count({ n: '*' }),
    rows: each(row => Number(row.n)),
  }),
)

/** The tags of the newest media with any, each a list. */
export const mediaTags = bySpace(
  (space: ContentSpace, limit: number): Query<never, readonly string[]> => ({
    values: [],
    build: knex =>
      knex(space.media.name).whereNotNull('tags').select('tags').orderBy('media_id', 'desc').limit(limit),
    lists: rows => rows.map(([tags]) => JSON.parse(tags as string) as string[]),
  }),
)

/** An entry that names a media item in what the public sees. */
export const publicMediaReferences = bySpace(
  (space: ContentSpace): Query<'media', { content_data_id: string; root_id: string }> => ({
    values: ['media'],
    build: (knex, value) =>
      knex(`${space.publicReferences.name} as r`)
        .join(`${space.publicEntries.name} as e`, 'e.content_data_id', 'r.content_data_id')
        .where('r.target_id', value('media'))
        .distinct(['r.content_data_id', 'e.root_id'])
        .orderBy('r.content_data_id'),
    lists: rows => rows.map(row => ({ content_data_id: row[0] as string, root_id: row[1] as string })),
  }),
)

/** Media fields that hold the id, and rich text that has it in an address. */
export const mediaReferences = bySpace(
  (space: ContentSpace): Query<'media', MediaReference> => ({
    values: ['media'],
    build: (knex, value) =>
      knex(`${space.contentReferences.name} as r`)
        .join(`${space.contentFields.name} as f`, 'f.content_field_id', 'r.content_field_id')
        .join(`${space.contentData.name} as c`, 'c.content_data_id', 'f.content_data_id')
        .join(`${space.fields.name} as d`, 'd.field_id', 'f.field_id')
        .where('r.target_id', value('media'))
        .whereIn('d.field_type', ['media', 'richtext'])
        .select(['f.content_field_id', 'f.content_data_id', 'f.field_id', 'f.locale', 'c.root_id']),
    lists: asMediaReferences,
  }),
)

/** Media with a translation in a locale. @param pattern `%"code":%` */
export const translatedMedia = bySpace(
  (space: ContentSpace): Query<'pattern', number> => ({
    values: ['pattern'],
    build: (knex, value) =>
      knex(space.media.name)
        .whereRaw('?? like ?', ['translations', value('pattern')])
        .count({ n: '*' }),
    rows: each(row => Number(row.n)),
  }),
)
