import {
  bigint,
  boolean,
  created,
  double,
  id,
  integer,
  internalTable,
  json,
  longtext,
  modified,
  numericId,
  revision,
  table,
  text,
  time,
} from './columns.js'

/** How many characters (code points) of a value are its key, by which indexes of values have it. */
export const keyLength = 191

/** Slug and title of a route by locale; at least one of the two. */
export type RouteTranslations = Record<string, { slug?: string; title?: string }>
/** Texts of a media item by locale; at least one of them. */
export type MediaTranslations = Record<string, { alt_text?: string; caption?: string; display_name?: string }>
export const contentStatuses = ['draft', 'published'] as const
/**
 * Which published entries of a datatype the public sees: none; those that a public entry refers to or an address leads
 * to; or all of them, also in lists. From the least to the most.
 */
export const visibilities = ['private', 'linked', 'public'] as const
const versionTriggers = ['publish', 'manual', 'restore', 'schedule'] as const
/** The allowed values of `field_type`. */
export const fieldTypeNames = [
  'text',
  'textarea',
  'number',
  'date',
  'datetime',
  'boolean',
  'select',
  'media',
  'relation',
  'json',
  'richtext',
  'slug',
  'email',
  'url',
] as const

/** The time of trees that versions without the column have made, until their indexes are made again. */
const longAgo = '1970-01-01T00:00:00.000Z'

export const dates = { date_created: created(), date_modified: modified() }

/**
 * The tables of one content space. The public space has no prefix; the admin space is the same over `admin_*`.
 * Both are driven by the same services.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of tables
export function contentSpace(prefix: '' | 'admin_') {
  const author_id = id().of('users')
  /** Of the admin space only its content has events. */
  const announced = prefix === ''
  return {
    routes: table(
      `${prefix}routes`,
      'route_id',
      {
        route_id: id(),
        slug: text(),
        title: text(),
        status: integer().or(1),
        author_id,
        ...dates,
        translations: json<RouteTranslations>().or({}),
      },
      { unique: [['slug']], ownedBy: 'route_id', announced, limited: true },
    ),
    /** The translations of routes once more, so that pages are found by their slugs. */
    routeTranslations: internalTable(
      `${prefix}route_translations`,
      'name',
      {
        /** The id of the route and the locale. */
        name: text(),
        route_id: id().of(`${prefix}routes`),
        locale: text(),
        slug: text().orNull(),
      },
      { unique: [['slug']] },
    ),
    datatypes: table(
      `${prefix}datatypes`,
      'datatype_id',
      {
        datatype_id: id(),
        label: text(),
        name: text(),
        type: text(),
        parent_id: id().of(`${prefix}datatypes`).orNull(),
        sort_order: integer().or(0),
        author_id,
        ...dates,
        visibility: text().oneOf(visibilities).or('linked'),
      },
      { unique: [['name']], shapesPages: true, announced },
    ),
    fields: table(
      `${prefix}fields`,
      'field_id',
      {
        field_id: id(),
        label: text(),
        name: text(),
        field_type: text().oneOf(fieldTypeNames),
        parent_id: id().of(`${prefix}datatypes`),
        data: json<Record<string, unknown>>().or({}),
        ui_config: json<Record<string, unknown>>().or({}),
        required: boolean().or(false),
        translatable: boolean().or(false),
        sort_order: integer().or(0),
        author_id,
        ...dates,
      },
      { unique: [['parent_id', 'name']], shapesPages: true, announced },
    ),
    fieldTypes: table(
      `${prefix}field_types`,
      'field_type_id',
      {
        field_type_id: id(),
        type: text().oneOf(fieldTypeNames),
        label: text(),
        system_protected: boolean().or(false),
        ...dates,
      },
      { unique: [['type']] },
    ),
    contentData: table(
      `${prefix}content_data`,
      'content_data_id',
      {
        content_data_id: id(),
        numeric_id: numericId(),
        datatype_id: id().of(`${prefix}datatypes`),
        route_id: id().of(`${prefix}routes`).orNull(),
        parent_id: id().of(`${prefix}content_data`).orNull(),
        root_id: id().silent(),
        sort_order: integer().or(0),
        status: text().oneOf(contentStatuses),
        author_id,
        published_at: time().orNull(),
        published_by: id().orNull(),
        publish_at: time().orNull(),
        unpublish_at: time().orNull(),
        revision: revision(),
        ...dates,
      },
      { unique: [['route_id']], ownedBy: 'content_data_id', limited: true },
    ),
    contentFields: table(
      `${prefix}content_fields`,
      'content_field_id',
      {
        content_field_id: id(),
        content_data_id: id().of(`${prefix}content_data`),
        field_id: id().of(`${prefix}fields`),
        locale: text().or(''),
        field_value: longtext(),
        route_id: id().of(`${prefix}routes`).silent().orNull(),
        author_id,
        ...dates,
      },
      { unique: [['content_data_id', 'field_id', 'locale']], ownedBy: 'content_data_id', limited: true },
    ),
    contentVersions: table(
      `${prefix}content_versions`,
      'content_version_id',
      {
        content_version_id: id(),
        content_data_id: id().of(`${prefix}content_data`),
        version_number: integer(),
        locale: text().or(''),
        snapshot: json(),
        trigger: text().oneOf(versionTriggers),
        label: text().or(''),
        published_by: id().orNull(),
        date_created: created(),
      },
      { unique: [['content_data_id', 'locale', 'version_number']], limited: true },
    ),
    /** One row a tree: the lock of its shape, and what versions of it there are. */
    contentTrees: internalTable(`${prefix}content_trees`, 'root_id', {
      root_id: id(),
      /** Grows with every change inside the tree. */
      version: integer(),
      /** When the first of the changes was made that wait for a publish; null while none does. */
      pending_since: time().orNull(),
      /** The version that the tree had when its rows in the public book changed last. */
      public_version: integer().or(0),
      /** When what the public sees of it changed last; null where that is not known. */
      public_modified: time().orNull(),
      /**
       * The version that its public book and references are made from. Program versions that do not know this column
       * raise `version` alone, so that the tree is found and indexed again.
       */
      book_version: integer().or(0),
      /** When something of its entries, its values or its address was edited last. */
      changed_at: time().or(longAgo),
    }),
    /** Who scheduled that an entry is published or unpublished. A row outlives the schedule; it ends with the entry. */
    contentPlans: internalTable(`${prefix}content_plans`, 'content_data_id', {
      content_data_id: id().of(`${prefix}content_data`),
      publish_by: id().orNull(),
      unpublish_by: id().orNull(),
    }),
    /** Which values of the working book name which media items and entries. Made from the values; see references.ts. */
    contentReferences: internalTable(`${prefix}content_references`, 'target_id', {
      target_id: id(),
      content_field_id: id(),
      content_data_id: id(),
      field_id: id(),
    }),
    /**
     * The public book: every entry that the public sees, as it sees it. Written at the end of a transaction that makes
     * something public (public-book.ts), and read by everything that shows content to the public.
     */
    publicEntries: internalTable(`${prefix}public_entries`, 'content_data_id', {
      content_data_id: id(),
      numeric_id: bigint(),
      datatype_id: id(),
      route_id: id().orNull(),
      parent_id: id().orNull(),
      root_id: id(),
      sort_order: integer(),
      status: text(),
      author_id: id(),
      published_at: time().orNull(),
      published_by: id().orNull(),
      publish_at: time().orNull(),
      unpublish_at: time().orNull(),
      revision: integer(),
      date_created: time(),
      date_modified: time(),
    }),
    /** The words of each entry that the public sees. Made with the two others; see search-document.ts. */
    publicSearch: internalTable(`${prefix}public_search`, 'content_data_id', {
      /** The numeric id of the entry, so that newer entries have greater ones. */
      document_id: bigint(),
      content_data_id: id(),
      word_count: integer(),
      title_words: text(),
      words: longtext(),
    }),
    publicReferences: internalTable(`${prefix}public_references`, 'target_id', {
      target_id: id(),
      content_field_id: id(),
      content_data_id: id(),
      field_id: id(),
    }),
    /**
     * Their values, with what filters and orders compare. Position 0 is the value and has the members of its record; the
     * others are ids of its list.
     */
    publicValues: internalTable(`${prefix}public_values`, 'content_field_id', {
      root_id: id(),
      content_data_id: id(),
      field_id: id(),
      locale: text().or(''),
      position: integer().or(0),
      field_value: longtext(),
      text_key: text(),
      number_key: double().orNull(),
      content_field_id: id().orNull(),
      author_id: id().orNull(),
      date_created: time().orNull(),
      date_modified: time().orNull(),
    }),
    /** Deleted entries, each with everything that was under it. */
    trash: table(
      `${prefix}trash`,
      'trash_id',
      {
        trash_id: id(),
        content_data_id: id(),
        datatype_id: id(),
        parent_id: id().orNull(),
        title: text(),
        /** The address of the page; null for an entry without a page. */
        slug: text().orNull(),
        entries: integer(),
        deleted_by: id().orNull(),
        deleted_at: created(),
      },
      { limited: true },
    ),
    /** The rows of deleted content, several in each piece. `kind` names their table. */
    trashPieces: internalTable(`${prefix}trash_pieces`, 'trash_piece_id', {
      trash_piece_id: id(),
      trash_id: id().of(`${prefix}trash`),
      kind: text(),
      records: json<unknown[]>(),
    }),
  }
}

/** How an image fills the size of a preset: it is cut, or shown whole inside of it. */
export const imageFits = ['cover', 'inside'] as const
export type ImageFit = (typeof imageFits)[number]

/** One rendition of an image, as an object of its own. */
export interface StoredVariant {
  name: string
  width: number
  height: number
  /** Missing in variants that were stored before this member existed. */
  fit?: ImageFit
  mimetype: string
  size: number
  key: string
}

/** The part of an uploaded image that is shown, and the size of the whole one, in pixels. */
export interface StoredCrop {
  x: number
  y: number
  width: number
  height: number
  uncropped_width: number
  uncropped_height: number
}

export function mediaSpace(prefix: '' | 'admin_') {
  return {
    mediaFolders: table(`${prefix}media_folders`, 'folder_id', {
      folder_id: id(),
      name: text(),
      parent_id: id().of(`${prefix}media_folders`).orNull(),
      author_id: id().of('users'),
      ...dates,
    }),
    media: table(
      `${prefix}media`,
      'media_id',
      {
        media_id: id(),
        numeric_id: numericId(),
        name: text(),
        display_name: text().or(''),
        alt_text: text().or(''),
        caption: text().or(''),
        description: longtext().or(''),
        mimetype: text(),
        size: bigint(),
        width: integer().orNull(),
        height: integer().orNull(),
        focal_x: integer().orNull(),
        focal_y: integer().orNull(),
        object_key: text(),
        content_hash: text(),
        variants: json<StoredVariant[]>().or([]),
        search_text: longtext().secret().silent().or(''),
        folder_id: id().of(`${prefix}media_folders`).orNull(),
        author_id: id().of('users'),
        ...dates,
        thumbhash: text().orNull(),
        translations: json<MediaTranslations>().or({}),
        crop: json<StoredCrop>().orNull(),
        /** The object with the uploaded image, which is kept while `object_key` has a part of it. */
        uncropped_key: text().orNull(),
        /** In the order in which they were given; null without one. */
        tags: json<string[]>().orNull(),
      },
      { unique: [['object_key']], announced: prefix === '' },
    ),
  }
}

/** The tables of the public space or of the admin space. */
export type ContentSpace = ReturnType<typeof contentSpace> & ReturnType<typeof mediaSpace>
