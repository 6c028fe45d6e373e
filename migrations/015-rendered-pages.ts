import { createTable, dropTable, type Migration } from '../src/db/schema.js'

/** Rendered pages under the names of the counters that they depend on. They are rendered again, not copied. */
export const renderedPages: Migration = {
  name: '015-rendered-pages',
  steps: [
    dropTable('page_answers'),
    createTable('rendered_pages', {
      page_key: 'text(640) key',
      route_id: 'id -> routes.route_id cascade',
      root_id: 'id',
      version: 'integer',
      pending: 'boolean',
      schema_version: 'bigint',
      content_version: 'bigint?',
      renderer_version: 'text(64)',
      etag: 'text(64)',
      body: 'bytes',
    }),
  ],
}
