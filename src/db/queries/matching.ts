import type { Knex } from 'knex'
import type { AnyTable } from '../columns.js'
import { bySpace, type Query } from '../statements.js'
import type { ContentSpace } from '../tables.js'

/**
 * Keys of the rows that have a text in one of the columns, those first whose first column is shortest. The values are
 * patterns with `!` before `%`, one of them in small letters and one with capitals: SQLite makes only ASCII small.
 */
export const matchingKeys = (
  { name, key }: AnyTable,
  columns: readonly string[],
  limit: number,
): Query<'text' | 'small' | 'capital', string> => ({
  values: ['text', 'small', 'capital'],
  build(knex, value) {
    const query = knex(name).select(key)
    for (const column of columns)
      query
        .orWhereRaw("?? like ? escape '!'", [column, value('text')])
        .orWhereRaw("?? like ? escape '!'", [column, value('capital')])
        .orWhereRaw("lower(??) like ? escape '!'", [column, value('small')])
    return query.orderByRaw('length(??), ??', [columns[0] ?? key, key]).limit(limit)
  },
  lists: rows => rows.map(row => String(row[0])),
})

/** What entries are found by: fields, and words in the three ways of `matchingKeys`. */
type TitleValue = `field${number}` | `${'text' | 'small' | 'capital'}${number}`

const numbered = <N extends string>(name: N, count: number) =>
  Array.from({ length: count }, (_, i) => `${name}${i}` as const)

/**
 * Entries that have all words in one value of one of the fields, those first whose value is shortest. It reads the values
 * of these fields of all entries.
 */
export const matchingTitles = bySpace(
  (space: ContentSpace, fields: number, words: number, limit: number): Query<TitleValue, string> => {
    const { name, key } = space.contentFields
    const fieldNames = numbered('field', fields)
    const given = (['text', 'small', 'capital'] as const).flatMap(kind => numbered(kind, words))
    return {
      values: [...fieldNames, ...given],
      build(knex, value) {
        const query = knex(name).select('content_data_id').whereIn('field_id', fieldNames.map(value))
        for (let i = 0; i < words; i++)
          query.where((word: Knex.QueryBuilder) => {
            word
              .orWhereRaw("field_value like ? escape '!'", [value(`text${i}`)])
              .orWhereRaw("field_value like ? escape '!'", [value(`capital${i}`)])
              .orWhereRaw("lower(field_value) like ? escape '!'", [value(`small${i}`)])
          })
        return query.orderByRaw('length(field_value), ??', [key]).limit(limit)
      },
      lists: rows => rows.map(row => String(row[0])),
    }
  },
)
