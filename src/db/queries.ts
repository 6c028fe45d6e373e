import type { Knex } from 'knex'
import { type AnyTable, type Bytes, listDecoder, type RowOf } from './columns.js'
import { each, type Query } from './statements.js'
import { type ContentSpace, keptTables } from './tables.js'

/** The reads that are more than one table by its columns. */

/** Columns under names of their own, for rows that are read as lists. */
const named = (columns: readonly string[], alias: string) =>
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

export type EntryRow = RowOf<ContentSpace['contentData']>
export type ValueRow = RowOf<ContentSpace['contentFields']>

/** Of an entry and of a value, what it takes to build a tree and to show its texts. */
export type LeanEntry = Pick<
  EntryRow,
  'content_data_id' | 'parent_id' | 'datatype_id' | 'status' | 'sort_order'
>
export type LeanValue = Pick<ValueRow, 'content_data_id' | 'field_id' | 'locale' | 'field_value'>

/** Columns of a row, and the row made of their values in this order. */
interface Part<R> {
  readonly columns: readonly string[]
  readonly decode: (row: readonly unknown[]) => R
}

// Written out, for an object that is put together name by name costs several times as much.
const leanEntry: Part<LeanEntry> = {
  columns: ['content_data_id', 'parent_id', 'datatype_id', 'status', 'sort_order'],
  decode: row => ({
    content_data_id: row[0] as string,
    parent_id: row[1] as string | null,
    datatype_id: row[2] as string,
    status: row[3] as string,
    sort_order: row[4] as number,
  }),
}
const leanValue: Part<LeanValue> = {
  columns: ['content_data_id', 'field_id', 'locale', 'field_value'],
  decode: row => ({
    content_data_id: row[0] as string,
    field_id: row[1] as string,
    locale: row[2] as string,
    field_value: row[3] as string,
  }),
}

/** Values, and the version that their tree had when they were read: undefined when there is no such tree. */
interface ValuesOfTree<V extends LeanValue> {
  readonly values: V[]
  readonly treeVersion: number | undefined
}

/** How trees are read: all of one root, or all that hang on no route. */
export interface TreeQueries<E extends LeanEntry, V extends LeanValue> {
  readonly entries: Query<'root', E>
  /** Of a tree on a route, which its values name too. One row. */
  readonly values: Query<'root' | 'route', ValuesOfTree<V>>
  readonly entriesWithoutRoute: Query<never, E>
  readonly valuesWithoutRoute: Query<never, V>
  /** What the public sees while changes wait: at least one row for each such tree. */
  readonly snapshot: Query<'root', OfSnapshot<E, V>>
  readonly snapshotsWithoutRoute: Query<never, OfSnapshot<E, V>>
}

/** An entry with its values, as it was at the last publish. */
export interface Snapshot<E extends LeanEntry = EntryRow, V extends LeanValue = ValueRow> {
  readonly entry: E
  readonly fields: readonly V[]
}

export interface OfSnapshot<E extends LeanEntry, V extends LeanValue> {
  root: string
  version: number
  /** Undefined where the public sees nothing of the tree. */
  snapshot: Snapshot<E, V> | undefined
}

/** Rows come in no order; the tree gives them theirs, for less than the sorting of wide rows costs. */
function treeQueries<E extends LeanEntry, V extends LeanValue>(
  space: ContentSpace,
  name: string,
  entry: Part<E>,
  value: Part<V>,
): TreeQueries<E, V> {
  const version = value.columns.length
  const idAt = value.columns.indexOf('content_data_id')

  const selectEntries = (knex: Knex) =>
    knex(`${space.contentData.name} as c`).select(named(entry.columns, 'c'))
  const valueColumns = named(value.columns, 'f')
  const withoutRoute = (query: Knex.QueryBuilder, root: string) =>
    query
      .join(`${space.contentData.name} as r`, 'r.content_data_id', root)
      .whereNull('r.route_id')
      .whereNull('r.parent_id')

  const entryRows = (rows: unknown[][]) => rows.map(entry.decode)
  const valuesOfTree = (rows: unknown[][]) => {
    const [first] = rows
    // A tree without values is one row without a value.
    const values = first && first[idAt] === null ? [] : rows.map(value.decode)
    return [{ values, treeVersion: first && Number(first[version]) }]
  }
  const selectSnapshot = (knex: Knex) =>
    knex(`${space.publicTrees.name} as p`)
      .leftJoin(`${space.publicEntries.name} as e`, 'e.root_id', 'p.root_id')
      .select(['p.root_id as p_root', 'p.version as p_version', 'e.snapshot as e_snapshot'])
  const snapshotRows = (rows: unknown[][]) =>
    rows.map(row => ({
      root: row[0] as string,
      version: Number(row[1]),
      // Whole rows, which are lean ones too.
      snapshot: row[2] === null ? undefined : (JSON.parse(row[2] as string) as Snapshot<E, V>),
    }))
  const of = `${name} ${space.contentData.name}`
  return {
    snapshot: {
      name: `snapshot of tree, ${of}`,
      values: ['root'],
      build: (knex, value) => selectSnapshot(knex).where('p.root_id', value('root')),
      lists: snapshotRows,
    },
    snapshotsWithoutRoute: {
      name: `snapshots without route, ${of}`,
      values: [],
      build: knex => withoutRoute(selectSnapshot(knex), 'p.root_id'),
      lists: snapshotRows,
    },
    entries: {
      name: `entries of tree, ${of}`,
      values: ['root'],
      build: (knex, value) => selectEntries(knex).where('c.root_id', value('root')),
      lists: entryRows,
    },
    values: {
      name: `values of tree, ${of}`,
      values: ['root', 'route'],
      build: (knex, value) =>
        knex(`${space.contentTrees.name} as t`)
          .leftJoin(`${space.contentFields.name} as f`, join =>
            join.on('f.route_id', knex.raw('?', [value('route')])),
          )
          .where('t.root_id', value('root'))
          .select([...valueColumns, 't.version as t_version']),
      lists: valuesOfTree,
    },
    entriesWithoutRoute: {
      name: `entries without route, ${of}`,
      values: [],
      build: knex => withoutRoute(selectEntries(knex), 'c.root_id'),
      lists: entryRows,
    },
    valuesWithoutRoute: {
      name: `values without route, ${of}`,
      values: [],
      build: knex =>
        withoutRoute(
          knex(`${space.contentFields.name} as f`)
            .join(`${space.contentData.name} as c`, 'c.content_data_id', 'f.content_data_id')
            .select(valueColumns),
          'c.root_id',
        ),
      lists: rows => rows.map(value.decode),
    },
  }
}

const whole = <T extends AnyTable>(table: T): Part<RowOf<T>> => ({
  columns: Object.keys(table.columns),
  decode: listDecoder(table, 0),
})

export const wholeTrees = (space: ContentSpace): TreeQueries<EntryRow, ValueRow> =>
  treeQueries(space, 'whole', whole(space.contentData), whole(space.contentFields))

export const leanTrees = (space: ContentSpace): TreeQueries<LeanEntry, LeanValue> =>
  treeQueries(space, 'lean', leanEntry, leanValue)

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
