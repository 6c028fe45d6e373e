import type { Knex } from 'knex'
import { type AnyTable, type Bytes, listDecoder, type RowOf } from './columns.js'
import type { Query } from './statements.js'
import { type ContentSpace, keptTables } from './tables.js'

/** The reads that are more than one table by its columns. */

const each =
  <R>(row: (row: Record<string, unknown>) => R) =>
  (rows: Record<string, unknown>[]): R[] =>
    rows.map(row)

/** A table's columns under names of their own, for rows that are read as lists. */
const columnsOf = (table: AnyTable, alias: string) =>
  Object.keys(table.columns).map(name => `${alias}.${name} as ${alias}_${name}`)
const width = (table: AnyTable) => Object.keys(table.columns).length

/** Ids and parents of a whole tree. */
export const treeShape = (space: ContentSpace): Query<'root', { id: string; parent: string | null }> => ({
  name: `tree shape ${space.contentData.name}`,
  values: ['root'],
  build: (knex, value) =>
    knex(space.contentData.name)
      .select('content_data_id', 'parent_id')
      .where('root_id', value('root'))
      .orderBy('content_data_id'),
  rows: each(row => ({ id: row.content_data_id as string, parent: row.parent_id as string | null })),
})

/** The greatest `sort_order` under a parent, or null. */
export const lastSibling = (space: ContentSpace): Query<'parent', number | null> => ({
  name: `last sibling ${space.contentData.name}`,
  values: ['parent'],
  build: (knex, value) =>
    knex(space.contentData.name).where('parent_id', value('parent')).max({ last: 'sort_order' }),
  rows: each(row => (row.last === null ? null : Number(row.last))),
})

/** The greatest version number of an entry in one locale, or null. */
export const lastVersion = (space: ContentSpace): Query<'entry' | 'locale', number | null> => ({
  name: `last version ${space.contentVersions.name}`,
  values: ['entry', 'locale'],
  build: (knex, value) =>
    knex(space.contentVersions.name)
      .where('content_data_id', value('entry'))
      .where('locale', value('locale'))
      .max({ last: 'version_number' }),
  rows: each(row => (row.last === null ? null : Number(row.last))),
})

export type EntryRow = RowOf<ContentSpace['contentData']>
export type ValueRow = RowOf<ContentSpace['contentFields']>

/**
 * Entries of trees. They come in no order; the tree gives them theirs, for less than the sorting of wide rows costs.
 */
function entries(space: ContentSpace, knex: Knex): Knex.QueryBuilder {
  return knex(`${space.contentData.name} as c`).select(columnsOf(space.contentData, 'c'))
}

/** Values of entries, and the version that their tree had when they were read. */
function values(space: ContentSpace, knex: Knex): Knex.QueryBuilder {
  return knex(`${space.contentTrees.name} as t`)
    .leftJoin(`${space.contentData.name} as c`, 'c.root_id', 't.root_id')
    .leftJoin(`${space.contentFields.name} as f`, 'f.content_data_id', 'c.content_data_id')
    .select([...columnsOf(space.contentFields, 'f'), 't.version as t_version'])
}

function entryRows(space: ContentSpace): (rows: unknown[][]) => EntryRow[] {
  const entry = listDecoder(space.contentData, 0)
  return rows => rows.map(entry)
}

export interface ValueOfTree {
  /** Undefined for an entry without values. */
  value: ValueRow | undefined
  treeVersion: number
}

function valueRows(space: ContentSpace): (rows: unknown[][]) => ValueOfTree[] {
  const value = listDecoder(space.contentFields, 0)
  const version = width(space.contentFields)
  return rows =>
    rows.map(row => ({ value: row[0] === null ? undefined : value(row), treeVersion: Number(row[version]) }))
}

/** All entries of a tree. */
export const entriesOfTree = (space: ContentSpace): Query<'root', EntryRow> => ({
  name: `entries of tree ${space.contentData.name}`,
  values: ['root'],
  build: (knex, value) => entries(space, knex).where('c.root_id', value('root')),
  lists: entryRows(space),
})

/** All values of a tree; at least one row while there is the tree. */
export const valuesOfTree = (space: ContentSpace): Query<'root', ValueOfTree> => ({
  name: `values of tree ${space.contentData.name}`,
  values: ['root'],
  build: (knex, value) => values(space, knex).where('t.root_id', value('root')),
  lists: valueRows(space),
})

const withoutRoute = (space: ContentSpace, query: Knex.QueryBuilder, root: string) =>
  query
    .join(`${space.contentData.name} as r`, 'r.content_data_id', root)
    .whereNull('r.route_id')
    .whereNull('r.parent_id')

/** The entries of every tree that hangs on no route. */
export const entriesWithoutRoute = (space: ContentSpace): Query<never, EntryRow> => ({
  name: `entries without route ${space.contentData.name}`,
  values: [],
  build: knex => withoutRoute(space, entries(space, knex), 'c.root_id'),
  lists: entryRows(space),
})

export const valuesWithoutRoute = (space: ContentSpace): Query<never, ValueOfTree> => ({
  name: `values without route ${space.contentData.name}`,
  values: [],
  build: knex => withoutRoute(space, values(space, knex), 't.root_id'),
  lists: valueRows(space),
})

export interface SchemaRow {
  /** The generation of `pages` that the whole answer belongs to. */
  version: number
  datatype: RowOf<ContentSpace['datatypes']> | undefined
  field: RowOf<ContentSpace['fields']> | undefined
}

/** Every datatype with its fields, in the order of both, and at least one row. */
export function schemaRows(space: ContentSpace): Query<never, SchemaRow> {
  const datatype = listDecoder(space.datatypes, 1)
  const fields = 1 + width(space.datatypes)
  const field = listDecoder(space.fields, fields)
  return {
    name: `schema ${space.datatypes.name}`,
    values: [],
    build: knex =>
      knex(`${keptTables.generations.name} as g`)
        .leftJoin(`${space.datatypes.name} as d`, knex.raw('1 = 1'))
        .leftJoin(`${space.fields.name} as f`, 'f.parent_id', 'd.datatype_id')
        .where('g.name', 'pages')
        .select(['g.value as g_value', ...columnsOf(space.datatypes, 'd'), ...columnsOf(space.fields, 'f')])
        .orderBy(['d.datatype_id', 'f.sort_order', 'f.field_id']),
    lists: rows =>
      rows.map(row => ({
        version: Number(row[0]),
        datatype: row[1] === null ? undefined : datatype(row),
        field: row[fields] === null ? undefined : field(row),
      })),
  }
}

export interface PageHead {
  route(): RowOf<ContentSpace['routes']>
  routeId: string
  /** Null while the route has no content. */
  rootId: string | null
  rootStatus: string | null
  /** Of the tree, and of what shapes all pages: together they say whether a finished answer is still good. */
  treeVersion: number
  pagesVersion: number
  answer: { stamp: string; etag: string; body: Bytes } | undefined
}

/** Everything that a request by slug needs to know, the finished answer of one variant included. */
export function pageHead(space: ContentSpace): Query<'slug' | 'variant', PageHead> {
  const { pageAnswers, generations } = keptTables
  const route = listDecoder(space.routes, 0)
  const rest = width(space.routes)
  return {
    name: `page head ${space.routes.name}`,
    values: ['slug', 'variant'],
    build: (knex, value) =>
      knex(`${space.routes.name} as r`)
        .leftJoin(`${space.contentData.name} as c`, 'c.route_id', 'r.route_id')
        .leftJoin(`${space.contentTrees.name} as t`, 't.root_id', 'c.content_data_id')
        .leftJoin(`${generations.name} as g`, join => join.on('g.name', knex.raw('?', ['pages'])))
        .leftJoin(`${pageAnswers.name} as a`, join =>
          join.on('a.route_id', 'r.route_id').andOn('a.variant', knex.raw('?', [value('variant')])),
        )
        .where('r.slug', value('slug'))
        .select([
          ...columnsOf(space.routes, 'r'),
          'c.content_data_id as c_id',
          'c.status as c_status',
          't.version as t_version',
          'g.value as g_value',
          'a.stamp as a_stamp',
          'a.etag as a_etag',
          'a.body as a_body',
        ]),
    lists: rows =>
      rows.map(row => {
        const [rootId, rootStatus, treeVersion, pagesVersion, stamp, etag, body] = row.slice(rest)
        return {
          route: () => route(row),
          routeId: row[0] as string,
          rootId: rootId as string | null,
          rootStatus: rootStatus as string | null,
          treeVersion: Number(treeVersion),
          pagesVersion: Number(pagesVersion),
          answer:
            stamp === null
              ? undefined
              : { stamp: stamp as string, etag: etag as string, body: body as Bytes },
        }
      }),
  }
}

/** A live session with its user, by the hash of the cookie's value. */
export interface Credential {
  id: string
  user_id: string
  role_id: string
  expires_at: string | null
  last_used: string | null
}

const credentialRow = (row: Record<string, unknown>): Credential => ({
  id: row.id as string,
  user_id: row.user_id as string,
  role_id: row.role_id as string,
  expires_at: row.expires_at as string | null,
  last_used: row.last_used as string | null,
})

export const sessionByHash: Query<'hash', Credential> = {
  name: 'session by hash',
  values: ['hash'],
  build: (knex, value) =>
    knex('sessions as s')
      .join('users as u', 'u.user_id', 's.user_id')
      .where('s.token_hash', value('hash'))
      .select([
        's.session_id as id',
        's.user_id as user_id',
        'u.role as role_id',
        's.expires_at as expires_at',
        's.last_access as last_used',
      ]),
  rows: each(credentialRow),
}

/** An API key that may be used, except for its expiry, with its user (5.1). */
export const keyByHash: Query<'hash', Credential> = {
  name: 'key by hash',
  values: ['hash'],
  build: (knex, value) =>
    knex('tokens as t')
      .join('users as u', 'u.user_id', 't.user_id')
      .where('t.token_hash', value('hash'))
      .where('t.token_type', 'api_key')
      .where('t.revoked', 0)
      .select([
        't.token_id as id',
        't.user_id as user_id',
        'u.role as role_id',
        't.expires_at as expires_at',
        't.last_used_at as last_used',
      ]),
  rows: each(credentialRow),
}

/** The permissions of every role, as `[role_id, label]`. */
export const rolePermissionLabels: Query<never, { role_id: string; label: string }> = {
  name: 'role permission labels',
  values: [],
  build: knex =>
    knex('role_permissions as rp')
      .join('permissions as p', 'p.permission_id', 'rp.permission_id')
      .select(['rp.role_id as role_id', 'p.label as label'])
      .orderBy('rp.role_permission_id'),
  rows: each(row => ({ role_id: row.role_id as string, label: row.label as string })),
}
