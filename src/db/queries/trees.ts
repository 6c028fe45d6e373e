import type { Knex } from 'knex'
import { type AnyTable, aliased, listDecoder, type RowOf } from '../columns.js'
import { bySpace, type Query } from '../statements.js'
import type { ContentSpace } from '../tables.js'

/** How whole trees are read: as much of their rows as a format wants, in as few statements as there are tables. */

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
export const leanValue: Part<LeanValue> = {
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
  readonly snapshot: Query<'root', OfSnapshot>
  readonly snapshotsWithoutRoute: Query<never, OfSnapshot>
}

/** An entry with its values, as it was at the last publish. */
export interface Snapshot<E extends LeanEntry = EntryRow, V extends LeanValue = ValueRow> {
  readonly entry: E
  readonly fields: readonly V[]
}

export interface OfSnapshot {
  root: string
  version: number
  /** As it is stored; undefined where the public sees nothing of the tree. */
  snapshot: unknown
}

const withoutRoute = (query: Knex.QueryBuilder, space: ContentSpace, root: string) =>
  query
    .join(`${space.contentData.name} as r`, 'r.content_data_id', root)
    .whereNull('r.route_id')
    .whereNull('r.parent_id')

function entryQueries<E extends LeanEntry>(space: ContentSpace, { columns, decode }: Part<E>) {
  const select = (knex: Knex) => knex(`${space.contentData.name} as c`).select(aliased(columns, 'c'))
  const lists = (rows: unknown[][]) => rows.map(decode)
  return {
    entries: {
      values: ['root'] as const,
      build: (knex: Knex, value: (name: 'root') => string) => select(knex).where('c.root_id', value('root')),
      lists,
    },
    entriesWithoutRoute: {
      values: [],
      build: (knex: Knex) => withoutRoute(select(knex), space, 'c.root_id'),
      lists,
    },
  }
}

function valueQueries<V extends LeanValue>(space: ContentSpace, { columns, decode }: Part<V>) {
  const version = columns.length
  const idAt = columns.indexOf('content_data_id')
  const selected = aliased(columns, 'f')
  return {
    values: {
      values: ['root', 'route'] as const,
      build: (knex: Knex, value: (name: 'root' | 'route') => string) =>
        knex(`${space.contentTrees.name} as t`)
          .leftJoin(`${space.contentFields.name} as f`, join =>
            join.on('f.route_id', knex.raw('?', [value('route')])),
          )
          .where('t.root_id', value('root'))
          .select([...selected, 't.version as t_version']),
      lists(rows: unknown[][]): ValuesOfTree<V>[] {
        const [first] = rows
        // A tree without values is one row without a value.
        const values = first && first[idAt] === null ? [] : rows.map(decode)
        return [{ values, treeVersion: first && Number(first[version]) }]
      },
    },
    valuesWithoutRoute: {
      values: [],
      build: (knex: Knex) =>
        withoutRoute(
          knex(`${space.contentFields.name} as f`)
            .join(`${space.contentData.name} as c`, 'c.content_data_id', 'f.content_data_id')
            .select(selected),
          space,
          'c.root_id',
        ),
      lists: (rows: unknown[][]) => rows.map(decode),
    },
  }
}

function snapshotQueries(space: ContentSpace) {
  const select = (knex: Knex) =>
    knex(`${space.pendingTrees.name} as p`)
      .leftJoin(`${space.publishedSnapshots.name} as e`, 'e.root_id', 'p.root_id')
      .select(['p.root_id as p_root', 'p.version as p_version', 'e.snapshot as e_snapshot'])
  const lists = (rows: unknown[][]): OfSnapshot[] =>
    rows.map(row => ({
      root: row[0] as string,
      version: Number(row[1]),
      snapshot: row[2] === null ? undefined : JSON.parse(row[2] as string),
    }))
  return {
    snapshot: {
      values: ['root'] as const,
      build: (knex: Knex, value: (name: 'root') => string) => select(knex).where('p.root_id', value('root')),
      lists,
    },
    snapshotsWithoutRoute: {
      values: [],
      build: (knex: Knex) => withoutRoute(select(knex), space, 'p.root_id'),
      lists,
    },
  }
}

/** Rows come in no order; the tree gives them theirs, for less than the sorting of wide rows costs. */
const treeQueries = <E extends LeanEntry, V extends LeanValue>(
  space: ContentSpace,
  entry: Part<E>,
  value: Part<V>,
): TreeQueries<E, V> => ({
  ...entryQueries(space, entry),
  ...valueQueries(space, value),
  ...snapshotQueries(space),
})

const whole = <T extends AnyTable>(table: T): Part<RowOf<T>> => ({
  columns: Object.keys(table.columns),
  decode: listDecoder(table, 0),
})

export const wholeTrees = bySpace(
  (space: ContentSpace): TreeQueries<EntryRow, ValueRow> =>
    treeQueries(space, whole(space.contentData), whole(space.contentFields)),
)

export const leanTrees = bySpace(
  (space: ContentSpace): TreeQueries<LeanEntry, LeanValue> => treeQueries(space, leanEntry, leanValue),
)
