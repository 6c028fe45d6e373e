import { bySpace, each, type Query } from '../statements.js'
import type { ContentSpace } from '../tables.js'

/** So many characters of a value are in the index that finds it (migration 018). */
const indexedCharacters = 64

/** What the index has of a value: characters as the engines count them. */
export const indexedPart = (value: string): string =>
  [...value.slice(0, 2 * indexedCharacters)].slice(0, indexedCharacters).join('')

/**
 * A published entry, other than the one that is named, that has the value in a field and locale. What the public sees of
 * trees with pending changes is elsewhere.
 * @param part of the value, `indexedPart`: SQLite and PostgreSQL find it by that, MySQL by the value itself
 */
export const publishedHolder = bySpace(
  (space: ContentSpace): Query<'field' | 'locale' | 'part' | 'value' | 'except', string> => ({
    values: ['field', 'locale', 'part', 'value', 'except'],
    build: (knex, value) =>
      knex(`${space.contentFields.name} as f`)
        .join(`${space.contentData.name} as c`, 'c.content_data_id', 'f.content_data_id')
        .leftJoin(`${space.pendingTrees.name} as p`, 'p.root_id', 'c.root_id')
        .select('f.content_data_id as id')
        .where('f.field_id', value('field'))
        .whereRaw(`substr(f.field_value, 1, ${indexedCharacters}) = ?`, [value('part')])
        .where('f.field_value', value('value'))
        .where('f.locale', value('locale'))
        .where('f.content_data_id', '<>', value('except'))
        .where('c.status', 'published')
        .whereNull('p.root_id')
        .orderBy('f.content_data_id')
        .limit(1),
    rows: each(row => row.id as string),
  }),
)

/**
 * What the public sees of entries of a datatype in trees with pending changes, as stored, a bounded number at once: also
 * of entries that the working state has no more, whatever their datatype was.
 */
export const snapshotsOfDatatype = bySpace(
  (space: ContentSpace): Query<'datatype' | 'after', { key: string; snapshot: unknown }> => ({
    values: ['datatype', 'after'],
    build: (knex, value) =>
      knex(`${space.publishedSnapshots.name} as s`)
        .leftJoin(`${space.contentData.name} as c`, 'c.content_data_id', 's.content_data_id')
        .select('s.published_snapshot_id as id', 's.snapshot as snapshot')
        .where('s.published_snapshot_id', '>', value('after'))
        .where(or => or.where('c.datatype_id', value('datatype')).orWhereNull('c.content_data_id'))
        .orderBy('s.published_snapshot_id')
        .limit(100),
    rows: each(row => ({ key: row.id as string, snapshot: JSON.parse(row.snapshot as string) })),
  }),
)
