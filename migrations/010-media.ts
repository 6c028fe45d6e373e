import { createTable, dropTable, type Migration, type Step } from '../src/db/schema.js'

const mediaTable = (prefix: '' | 'admin_'): Step =>
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
    search_text: 'longtext',
    folder_id: `id? -> ${prefix}media_folders.folder_id`,
    author_id: 'id -> users.user_id',
    date_created: 'time',
    date_modified: 'time',
  })

/**
 * Media that can be searched, and presets that say how they fit. The tables are made anew: no version before this one
 * could put a row into them.
 */
export const mediaAgain: Migration = {
  name: '010-media',
  steps: [
    dropTable('media'),
    dropTable('admin_media'),
    dropTable('media_dimensions'),
    mediaTable(''),
    mediaTable('admin_'),
    createTable('media_dimensions', {
      media_dimension_id: 'id key',
      label: 'text(255) unique',
      width: 'integer',
      height: 'integer',
      fit: 'text(16)',
      date_created: 'time',
      date_modified: 'time',
    }),
    {
      name: 'generations-media-folders',
      statements: () => [
        "delete from generations where name in ('media_folders', 'admin_media_folders')",
        "insert into generations (name, value) values ('media_folders', 0), ('admin_media_folders', 0)",
      ],
    },
  ],
}
