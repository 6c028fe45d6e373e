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

export interface TreeRow {
  entry: RowOf<ContentSpace['contentData']>
  value: RowOf<ContentSpace['contentFields']> | undefined
}

const treeSelect = (knex: Knex, space: ContentSpace) =>
  knex(`${space.contentData.name} as c`)
    .leftJoin(`${space.contentFields.name} as f`, 'f.content_data_id', 'c.content_data_id')
    .select([...columnsOf(space.contentData, 'c'), ...columnsOf(space.contentFields, 'f')])
    .orderBy(['c.sort_order', 'c.content_data_id', 'f.content_field_id'])

function treeRows(space: ContentSpace): (rows: unknown[][]) => TreeRow[] {
  const values = width(space.contentData)
  const entryOf = listDecoder(space.contentData, 0)
  const contentField = listDecoder(space.contentFields, values)
  return rows => {
    let entry: TreeRow['entry'] | undefined
    return rows.map(row => {
      // The rows of one entry follow each other, so it is decoded once.
      if (!entry || entry.content_data_id !== row[0]) entry = entryOf(row)
      return { entry, value: row[values] === null ? undefined : contentField(row) }
    })
  }
}

/** All entries of a tree with all their values, in one statement, so that they belong together. */
export const treeOfRoot = (space: ContentSpace): Query<'root', TreeRow> => ({
  name: `tree ${space.contentData.name}`,
  values: ['root'],
  build: (knex, value) => treeSelect(knex, space).where('c.root_id', value('root')),
  lists: treeRows(space),
})

/** The same for every tree that hangs on no route. */
export const treesWithoutRoute = (space: ContentSpace): Query<never, TreeRow> => ({
  name: `global trees ${space.contentData.name}`,
  values: [],
  build: knex =>
    treeSelect(knex, space)
      .join(`${space.contentData.name} as r`, 'r.content_data_id', 'c.root_id')
      .whereNull('r.route_id')
      .whereNull('r.parent_id'),
  lists: treeRows(space),
})

/** Every datatype with its fields, in the order of both. */
export function schemaRows(
  space: ContentSpace,
): Query<
  never,
  { datatype: RowOf<ContentSpace['datatypes']>; field: RowOf<ContentSpace['fields']> | undefined }
> {
  const fields = width(space.datatypes)
  const datatype = listDecoder(space.datatypes, 0)
  const field = listDecoder(space.fields, fields)
  return {
    name: `schema ${space.datatypes.name}`,
    values: [],
    build: knex =>
      knex(`${space.datatypes.name} as d`)
        .leftJoin(`${space.fields.name} as f`, 'f.parent_id', 'd.datatype_id')
        .select([...columnsOf(space.datatypes, 'd'), ...columnsOf(space.fields, 'f')])
        .orderBy(['d.datatype_id', 'f.sort_order', 'f.field_id']),
    lists: rows =>
      rows.map(row => ({ datatype: datatype(row), field: row[fields] === null ? undefined : field(row) })),
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
