import { addColumn, type Migration, type Step } from '../src/db/schema.js'

const trees = ['', 'admin_'] as const

/** Where a start has filled the public book, every tree is in it as it is. */
const asFilled = (prefix: (typeof trees)[number]): Step => ({
  name: `${prefix}content_trees-book-version`,
  statements: ({ quote }) => [
    `update ${quote(`${prefix}content_trees`)} set book_version = version where book_version = 0 and exists (select 1 from seeds where name = '${prefix}public_entries 1')`,
  ],
})

/** From which version of each tree its indexes were made. It only adds (`+`). */
export const indexVersions: Migration = {
  name: '042+index-versions',
  steps: trees.flatMap(prefix => [
    addColumn(`${prefix}content_trees`, 'book_version', 'integer', '0'),
    asFilled(prefix),
  ]),
}
