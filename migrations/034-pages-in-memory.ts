import { dropTable, type Migration } from '../src/db/schema.js'

/** Rendered pages are kept in memory alone: one that is not there is built from its rows. */
export const pagesInMemory: Migration = {
  name: '034-pages-in-memory',
  steps: [dropTable('rendered_pages')],
}
