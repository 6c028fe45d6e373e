import { createTable, type Migration, type Step } from '../src/db/schema.js'

/** The tables of one content space; the admin space is the same over `admin_*`. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of tables
function contentSpace(prefix: '' | 'admin_'): Step[] {
  const author_id = 'id -> users.user_id'
  const dates = { date_created: 'time', date_modified: 'time' }
  return [
    createTable(`${prefix}routes`, {
      route_id: 'id key',
      slug: 'text(512) unique',
      title: 'text(1024)',
      status: 'integer',
      author_id,
      ...dates,
    }),
    createTable(`${prefix}datatypes`, {
      datatype_id: 'id key',
      label: 'text(255)',
      name: 'text(255) unique',
      type: 'text(255)',
      parent_id: `id? -> ${prefix}datatypes.datatype_id`,
      sort_order: 'integer',
      author_id,
      ...dates,
    }),
    createTable(
      `${prefix}fields`,
      {
        field_id: 'id key',
        label: 'text(255)',
        name: 'text(255)',
        field_type: 'text(64)',
        parent_id: `id -> ${prefix}datatypes.datatype_id`,
        data: 'json',
        ui_config: 'json',
        required: 'boolean',
        translatable: 'boolean',
        sort_order: 'integer',
        author_id,
        ...dates,
      },
      { unique: [['parent_id', 'name']] },
    ),
    createTable(`${prefix}field_types`, {
      field_type_id: 'id key',
      type: 'text(64) unique',
      label: 'text(255)',
      system_protected: 'boolean',
      ...dates,
    }),
    createTable(
      `${prefix}content_data`,
      {
        content_data_id: 'id key',
        numeric_id: 'bigint unique',
        datatype_id: `id -> ${prefix}datatypes.datatype_id`,
        route_id: `id? unique -> ${prefix}routes.route_id`,
        parent_id: `id? -> ${prefix}content_data.content_data_id`,
        root_id: 'id',
        sort_order: 'integer',
        status: 'text(64)',
        author_id,
        published_at: 'time?',
        published_by: 'id?',
        publish_at: 'time?',
        unpublish_at: 'time?',
        revision: 'integer',
        ...dates,
      },
      { index: [['parent_id', 'sort_order'], ['root_id'], ['publish_at'], ['unpublish_at']] },
    ),
    createTable(
      `${prefix}content_fields`,
      {
        content_field_id: 'id key',
        content_data_id: `id -> ${prefix}content_data.content_data_id`,
        field_id: `id -> ${prefix}fields.field_id`,
        locale: 'text(64)',
        field_value: 'longtext',
        route_id: `id? -> ${prefix}routes.route_id`,
        author_id,
        ...dates,
      },
      { unique: [['content_data_id', 'field_id', 'locale']] },
    ),
    createTable(
      `${prefix}content_versions`,
      {
        content_version_id: 'id key',
        content_data_id: `id -> ${prefix}content_data.content_data_id`,
        version_number: 'integer',
        locale: 'text(64)',
        snapshot: 'json',
        trigger: 'text(64)',
        label: 'text(255)',
        published_by: 'id?',
        date_created: 'time',
      },
      { unique: [['content_data_id', 'locale', 'version_number']] },
    ),
    createTable(`${prefix}content_trees`, { root_id: 'id key', version: 'integer' }),
  ]
}

/** Content of the public space and of the admin space, locales, and the finished answers of pages. */
export const content: Migration = {
  name: '002-content',
  steps: [
    createTable('locales', {
      locale_id: 'id key',
      code: 'text(64) unique',
      label: 'text(255)',
      is_default: 'boolean',
      is_enabled: 'boolean',
      fallback_code: 'text(64)?',
      sort_order: 'integer',
      date_created: 'time',
      date_modified: 'time',
    }),
    ...contentSpace(''),
    ...contentSpace('admin_'),
    createTable(
      'page_answers',
      {
        answer_key: 'text(255) key',
        route_id: 'id -> routes.route_id cascade',
        variant: 'text(255)',
        stamp: 'text(255)',
        etag: 'text(255)',
        body: 'bytes',
      },
      { unique: [['route_id', 'variant']] },
    ),
  ],
}
