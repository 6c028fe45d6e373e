import type { Knex } from 'knex'
import type { AnyTable } from '../columns.js'
import { bySpace, each, type RowsQuery } from '../statements.js'
import type { ContentSpace } from '../tables.js'
import { hiddenValues } from './hidden-trees.js'

type Form = 'text' | 'capital' | 'small'
/** SQLite lowers only ASCII, so other letters need all forms. */
const formsOf = (isAscii: boolean): readonly Form[] => (isAscii ? ['small'] : ['text', 'capital', 'small'])

/** Adds to a condition that a column has a pattern with `!` before `%`. */
const orHas = (query: Knex.QueryBuilder, column: string, form: Form, pattern: string) =>
  query.orWhereRaw(`${form === 'small' ? 'lower(??)' : '??'} like ? escape '!'`, [column, pattern])

/**
 * Keys of the rows that have a text in one of the columns, those first whose first column is shortest.
 * It looks at all rows, so that it is to be run as `boundedQuery`.
 * @param isAscii whether the text has no other letters
 */
export const matchingKeys = (
  { name, key }: AnyTable,
  columns: readonly string[],
  limit: number,
  isAscii: boolean,
): RowsQuery<Form, string> => ({
  values: formsOf(isAscii),
  build(knex, value) {
    const query = knex(name).select({ id: key })
    for (const column of columns) for (const form of formsOf(isAscii)) orHas(query, column, form, value(form))
    return query.orderByRaw('length(??), ??', [columns[0] ?? key, key]).limit(limit)
  },
  rows: each(row => String(row.id)),
})

type TitleValue = `field${number}` | `${Form}${number}`

const numbered = <N extends string>(name: N, count: number) =>
  Array.from({ length: count }, (_, i) => `${name}${i}` as const)

/**
 * Entries of trees with something that the public does not see, which have all words in one value of one of the fields,
 * those with the shortest value first. It looks at all values of these trees, so that it is to be run as `boundedQuery`.
 */
export const matchingTitles = bySpace(
  (
    space: ContentSpace,
    { fields, words, limit, isAscii }: { fields: number; words: number; limit: number; isAscii: boolean },
  ): RowsQuery<TitleValue, string> => {
    const fieldNames = numbered('field', fields)
    const forms = formsOf(isAscii)
    return {
      values: [...fieldNames, ...forms.flatMap(form => numbered(form, words))],
      build(knex, value) {
        // All values of a tree are read faster than those of a common field one by one by its index.
        const ofFields = `coalesce(v.field_id, '') in (${fieldNames.map(() => '?').join()})`
        const query = hiddenValues(knex, space)
          .select({ id: 'v.content_data_id' })
          .whereRaw(ofFields, fieldNames.map(value))
        for (let i = 0; i < words; i++)
          query.where((word: Knex.QueryBuilder) => {
            for (const form of forms) orHas(word, 'v.field_value', form, value(`${form}${i}`))
          })
        return query.orderByRaw('length(v.field_value), v.content_field_id').limit(limit)
      },
      rows: each(row => String(row.id)),
    }
  },
)
