import type { Migration, Step } from '../src/db/schema.js'

/** Titles by their first characters, for PostgreSQL takes no longer ones than about 2,700 bytes into an index. */
const titleIndex = (table: string): Step => ({
  name: `create ${table}_title_index`,
  statements: ({ quote, createIndex, expressionIndexes }) =>
    expressionIndexes
      ? [createIndex(quote(`${table}_title_index`), quote(table), `substr(lower(${quote('title')}), 1, 64)`)]
      : [],
})

/**
 * Pages in the order of their titles, so that the first ones are listed without a look at all. It only adds (`+`). MariaDB
 * has no indexes of expressions.
 */
export const titlesInOrder: Migration = {
  name: '064+titles-in-order',
  steps: ['', 'admin_'].map(prefix => titleIndex(`${prefix}routes`)),
}
