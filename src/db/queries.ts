import { type AnyTable, type Bytes, listDecoder, type RowOf } from './columns.js'
import { each, type Query } from './statements.js'
import { type ContentSpace, keptTables } from './tables.js'

/** The reads that are more than one table by its columns. */

/** Columns under names of their own, for rows that are read as lists. */
export const named = (columns: readonly string[], alias: string) =>
  columns.map(name => `${alias}.${name} as ${alias}_${name}`)
export const columnsOf = (table: AnyTable, alias: string) => named(Object.keys(table.columns), alias)
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

/** Id, parent and root of every entry there is. */
export const entryShapes = (
  space: ContentSpace,
): Query<never, { id: string; parent: string | null; root: string }> => ({
  name: `entry shapes ${space.contentData.name}`,
  values: [],
  build: knex =>
    knex(space.contentData.name).select('content_data_id', 'parent_id', 'root_id').orderBy('content_data_id'),
  lists: rows =>
    rows.map(row => ({ id: row[0] as string, parent: row[1] as string | null, root: row[2] as string })),
})

/** Entries with values that name another route than their tree is on, and the route of the tree. */
export const misroutedEntries = (
  space: ContentSpace,
): Query<never, { id: string; root: string; route: string | null }> => ({
  name: `misrouted entries ${space.contentFields.name}`,
  values: [],
  build: knex =>
    knex(`${space.contentFields.name} as f`)
      .join(`${space.contentData.name} as c`, 'c.content_data_id', 'f.content_data_id')
      .join(`${space.contentData.name} as r`, 'r.content_data_id', 'c.root_id')
      .whereRaw('(f.route_id <> r.route_id or (f.route_id is null) <> (r.route_id is null))')
      .distinct('c.content_data_id as id', 'c.root_id as root', 'r.route_id as route')
      .orderBy('c.content_data_id'),
  rows: each(row => ({ id: row.id as string, root: row.root as string, route: row.route as string | null })),
})

/** The greatest `sort_order` under a parent, or null. */
export const lastSibling = (space: ContentSpace): Query<'parent', number | null> => ({
  name: `last sibling ${space.contentData.name}`,
  values: ['parent'],
  build: (knex, value) =>
    knex(space.contentData.name).where('parent_id', value('parent')).max({ last: 'sort_order' }),
  rows: each(row => (row.last === null ? null : Number(row.last))),
})

/** The versions of an entry in one locale, oldest first. */
export const versionNumbers = (
  space: ContentSpace,
): Query<'entry' | 'locale', { id: string; number: number }> => ({
  name: `versions of entry ${space.contentVersions.name}`,
  values: ['entry', 'locale'],
  build: (knex, value) =>
    knex(space.contentVersions.name)
      .select('content_version_id as id', 'version_number as number')
      .where('content_data_id', value('entry'))
      .where('locale', value('locale'))
      .orderBy('version_number'),
  rows: each(row => ({ id: row.id as string, number: Number(row.number) })),
})

/** Ids of entries that are planned to be published, or taken back, by now: the earliest first, some at once. */
export const dueEntries = (
  space: ContentSpace,
  column: 'publish_at' | 'unpublish_at',
): Query<'now', string> => ({
  name: `due entries ${space.contentData.name} ${column}`,
  values: ['now'],
  build: (knex, value) =>
    knex(space.contentData.name)
      .select('content_data_id as id')
      .where(column, '<=', value('now'))
      .orderBy([column, 'content_data_id'])
      .limit(100),
  rows: each(row => row.id as string),
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
  /** Of all content together: what a page says that refers to other entries. */
  linksVersion: number
  /** Of what the public sees while changes wait; null when it sees the tree itself. */
  publicVersion: number | null
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
        .leftJoin(`${space.publicTrees.name} as p`, 'p.root_id', 'c.content_data_id')
        .leftJoin(`${generations.name} as g`, join => join.on('g.name', knex.raw('?', ['pages'])))
        .leftJoin(`${generations.name} as l`, join => join.on('l.name', knex.raw('?', ['links'])))
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
          'l.value as l_value',
          'p.version as p_version',
          'a.stamp as a_stamp',
          'a.etag as a_etag',
          'a.body as a_body',
        ]),
    lists: rows =>
      rows.map(row => {
        const [waiting, stamp] = [row[rest + 5], row[rest + 6]]
        return {
          route: () => route(row),
          routeId: row[0] as string,
          rootId: row[rest] as string | null,
          rootStatus: row[rest + 1] as string | null,
          treeVersion: Number(row[rest + 2]),
          pagesVersion: Number(row[rest + 3]),
          linksVersion: Number(row[rest + 4]),
          publicVersion: waiting === null ? null : Number(waiting),
          answer:
            stamp === null
              ? undefined
              : { stamp: stamp as string, etag: row[rest + 7] as string, body: row[rest + 8] as Bytes },
        }
      }),
  }
}
