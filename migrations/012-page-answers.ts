import { createTable, dropTable, type Migration, storeByKey } from '../src/db/schema.js'

/**
 * The key of a cached answer is the request, and its row names the versions it was made of. So one search finds it
 * and three short ones tell if it is current. Older answers are built again.
 */
export const pageAnswers: Migration = {
  name: '012-page-answers',
  steps: [
    dropTable('page_answers'),
    createTable('page_answers', {
      answer_key: 'text(640) key',
      route_id: 'id -> routes.route_id cascade',
      root_id: 'id',
      version: 'integer',
      waiting: 'boolean',
      pages_version: 'bigint',
      links_version: 'bigint?',
      maker: 'text(64)',
      etag: 'text(64)',
      body: 'bytes',
    }),
    storeByKey('generations', { name: 'text(64) key', value: 'bigint' }),
    {
      // New trees begin behind it.
      name: 'generations-links',
      statements: () => [
        `update generations set value = value + (select coalesce(max(version), 0) from content_trees)
         + (select coalesce(max(version), 0) from admin_content_trees) where name = 'links'`,
      ],
    },
    ...(['', 'admin_'] as const).flatMap(prefix => [
      storeByKey(`${prefix}content_trees`, { root_id: 'id key', version: 'integer' }),
      storeByKey(`${prefix}public_trees`, { root_id: 'id key', version: 'integer', since: 'time' }),
    ]),
  ],
}
