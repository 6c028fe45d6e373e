import { createTable, type Migration } from '../src/db/schema.js'

/**
 * Comments on entries and their fields, and requests to publish a tree. They name their entry without a foreign key: they
 * are removed with it, and an entry that only leaves the tables of content for a while finds them again.
 */
export const review: Migration = {
  name: '037-review',
  steps: [
    createTable(
      'comments',
      {
        comment_id: 'id key',
        content_data_id: 'id',
        field_id: 'id?',
        locale: 'text(35)',
        body: 'longtext',
        mentions: 'json',
        resolved: 'boolean',
        resolved_by: 'id?',
        author_id: 'id -> users.user_id',
        date_created: 'time',
        date_modified: 'time',
      },
      { index: [['content_data_id', 'comment_id']] },
    ),
    createTable(
      'review_requests',
      {
        review_request_id: 'id key',
        content_data_id: 'id',
        status: 'text(32)',
        note: 'longtext',
        answer: 'longtext',
        answered_by: 'id?',
        answered_at: 'time?',
        open_for: 'id? unique',
        author_id: 'id -> users.user_id',
        date_created: 'time',
        date_modified: 'time',
      },
      {
        index: [
          ['content_data_id', 'review_request_id'],
          ['status', 'review_request_id'],
        ],
      },
    ),
  ],
}
