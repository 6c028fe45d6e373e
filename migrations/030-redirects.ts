import { createTable, type Migration } from '../src/db/schema.js'

/** Where addresses lead that no page is on. A target that is a page's is its route, so that it follows the route. */
export const redirects: Migration = {
  name: '030-redirects',
  steps: [
    createTable(
      'redirects',
      {
        redirect_id: 'id key',
        slug: 'text(512) unique',
        target: 'text(512)?',
        route_id: 'id? -> routes.route_id',
        locale: 'text(35)',
        status: 'integer',
        is_automatic: 'boolean',
        author_id: 'id -> users.user_id',
        date_created: 'time',
        date_modified: 'time',
      },
      { index: [['target']] },
    ),
  ],
}
