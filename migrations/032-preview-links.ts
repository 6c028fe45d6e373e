import { createTable, type Migration } from '../src/db/schema.js'

/** Links that show one page without an account. They can outlive page, user and key, and then show nothing. */
export const previewLinks: Migration = {
  name: '032-preview-links',
  steps: [
    createTable(
      'preview_links',
      {
        preview_link_id: 'id key',
        content_data_id: 'id',
        label: 'text',
        expires_at: 'time',
        created_by: 'id',
        token_id: 'id?',
        date_created: 'time',
      },
      { index: [['content_data_id'], ['expires_at']] },
    ),
    // Changes, for open pages of drafts and every other listener.
    createTable('content_changes', {
      change_id: 'bigint key',
      changed_at: 'time',
      all_pages: 'boolean',
      trees: 'json',
      public_trees: 'json',
    }),
  ],
}
