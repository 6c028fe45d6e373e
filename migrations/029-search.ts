import { addColumn, createTable, fullTextIndex, type Migration, type Step } from '../src/db/schema.js'

const search = (prefix: '' | 'admin_'): Step[] => [
  addColumn(`${prefix}public_index_entries`, 'numeric_id', 'bigint?'),
  createTable(`${prefix}public_search`, {
    document_id: 'bigint key',
    content_data_id: 'id unique',
    word_count: 'integer',
    title_words: 'text(500)',
    words: 'longtext',
  }),
  fullTextIndex(`${prefix}public_search`, 'document_id', 'words'),
]

/** The words of what the public sees, in each engine's own full text. The next start fills it in. */
export const publicSearch: Migration = {
  name: '029-search',
  steps: [...search(''), ...search('admin_')],
}
