import { createTable, type Migration, type Step } from '../src/db/schema.js'

function mediaSpace(prefix: '' | 'admin_'): Step[] {
  return [
    createTable(`${prefix}media_folders`, {
      folder_id: 'id key',
      name: 'text(255)',
      parent_id: `id? -> ${prefix}media_folders.folder_id`,
      author_id: 'id -> users.user_id',
      date_created: 'time',
      date_modified: 'time',
    }),
    createTable(`${prefix}media`, {
      media_id: 'id key',
      numeric_id: 'bigint unique',
      name: 'text(255)',
      display_name: 'text(255)',
      alt_text: 'text(1024)',
      caption: 'text(1024)',
      description: 'longtext',
      mimetype: 'text(255)',
      size: 'bigint',
      width: 'integer?',
      height: 'integer?',
      focal_x: 'integer?',
      focal_y: 'integer?',
      object_key: 'text(512) unique',
      content_hash: 'text(64)',
      variants: 'json',
      folder_id: `id? -> ${prefix}media_folders.folder_id`,
      author_id: 'id -> users.user_id',
      date_created: 'time',
      date_modified: 'time',
    }),
  ]
}

/** Media of both spaces, the presets of their variants, and uploads in progress. */
export const media: Migration = {
  name: '003-media',
  steps: [
    createTable('media_dimensions', {
      media_dimension_id: 'id key',
      label: 'text(255) unique',
      width: 'integer',
      height: 'integer',
      date_created: 'time',
      date_modified: 'time',
    }),
    ...mediaSpace(''),
    ...mediaSpace('admin_'),
    createTable('media_uploads', {
      upload_id: 'id key',
      space: 'text(64)',
      key_prefix: 'text(512)',
      started_at: 'time',
    }),
  ],
}
