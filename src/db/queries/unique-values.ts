import { bySpace, each, type Query } from '../statements.js'
import type { ContentSpace } from '../tables.js'

/** So many characters of a value are in the index that finds it (migration 018). */
const indexedCharacters = 64

/** The part of a value that is in the index: characters as the engines count them. */
export const indexedPart = (value: string): string =>
  [...value.slice(0, 2 * indexedCharacters)].slice(0, indexedCharacters).join('')

/**
 * A published entry of a tree without unpublished changes that has the value in a field and locale, except the entry
 * `except`.
 * @param part of the value, `indexedPart`: SQLite and PostgreSQL find it by that, MySQL by the value itself
 */
export const publishedHolder = bySpace(
  (space: ContentSpace): Query<'field' | 'locale' | 'part' | 'value' | 'except', string> => ({
    values: ['field', 'locale', 'part', 'value', 'except'],
    build: (knex, value) =>
      knex(`${space.contentFields.name} as f`)
        .join(`${space.contentData.name} as c`, 'c.content_data_id', 'f.content_data_id')
        .join(`${space.contentTrees.name} as t`, 't.root_id', 'c.root_id')
        .select('f.content_data_id as id')
        .where('f.field_id', value('field'))
        .whereRaw(`substr(f.field_value, 1, ${indexedCharacters}) = ?`, [value('part')])
        .where('f.field_value', value('value'))
        .where('f.locale', value('locale'))
        .where('f.content_data_id', '<>', value('except'))
        .where('c.status', 'published')
        .whereNull('t.pending_since')
        .orderBy('f.content_data_id')
        .limit(1),
    rows: each(row => row.id as string),
  }),
)

/**
 * `publishedHolder` for the public side of trees with pending changes.
 * @param key the beginning of the value, as the book has it
 */
export const pendingHolder = bySpace(
  (space: ContentSpace): Query<'field' | 'locale' | 'key' | 'value' | 'except', string> => ({
    values: ['field', 'locale', 'key', 'value', 'except'],
    build: (knex, value) =>
      knex(`${space.publicValues.name} as v`)
        .join(`${space.publicEntries.name} as e`, 'e.content_data_id', 'v.content_data_id')
        .join(`${space.contentTrees.name} as t`, 't.root_id', 'e.root_id')
        .select('v.content_data_id as id')
        .where('v.field_id', value('field'))
        .where('v.locale', value('locale'))
        .where('v.text_key', value('key'))
        .where('v.position', 0)
        .where('v.field_value', value('value'))
        .where('v.content_data_id', '<>', value('except'))
        .whereNotNull('t.pending_since')
        .orderBy('v.content_data_id')
        .limit(1),
    rows: each(row => row.id as string),
  }),
)
