import type { Knex } from 'knex'
import { type AnyTable, aliased, listDecoder, type RowOf } from '../columns.js'
import { bySpace, type Query } from '../statements.js'
import type { ContentSpace, EntryRow, ValueRow } from '../tables.js'

/** How whole trees are read: as much of their rows as a format wants, in as few statements as there are tables. */

/** The columns of an entry and of a value that building a tree and showing its texts needs. */
export type LeanEntry = Pick<
  EntryRow,
  'content_data_id' | 'parent_id' | 'datatype_id' | 'status' | 'sort_order'
>
export type LeanValue = Pick<ValueRow, 'content_data_id' | 'field_id' | 'locale' | 'field_value'>

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

/** How trees of a book are read: all of one root, or all that hang on no route. */
export interface TreeQueries<E extends LeanEntry, V extends LeanValue> {
  readonly entries: Query<'root', E>
  readonly values: Query<'root' | 'route', ValuesOfTree<V>>
  readonly entriesWithoutRoute: Query<never, E>
  readonly valuesWithoutRoute: Query<never, V>
}

/** The state of the content that is read. */
export type Book = 'public' | 'working'

const entriesOf = (space: ContentSpace, book: Book) =>
  book === 'public' ? space.publicEntries : space.contentData

/**
 * Restricts to trees whose roots `r` are on no route: each book has an index in which they are found. In the working book
 * SQLite would prefer that of routes, in which most entries are alike. PostgreSQL takes a comparison of `coalesce` for
 * rare, and begins with the roots.
 */
function withoutRoute(query: Knex.QueryBuilder, space: ContentSpace, book: Book, root: string) {
  query
    .join(`${entriesOf(space, book).name} as r`, 'r.content_data_id', root)
    .whereNull('r.parent_id')
    .whereRaw("coalesce(r.route_id, '') = ''")
  return book === 'public' ? query.whereNull('r.route_id') : query
}

function entryQueries<E extends LeanEntry>(space: ContentSpace, book: Book, { columns, decode }: Part<E>) {
  const { name } = entriesOf(space, book)
  const select = (knex: Knex) => knex(`${name} as c`).select(aliased(columns, 'c'))
  const lists = (rows: unknown[][]) => rows.map(decode)
  return {
    entries: {
      values: ['root'] as const,
      build: (knex: Knex, value: (name: 'root') => string) => select(knex).where('c.root_id', value('root')),
      lists,
    },
    entriesWithoutRoute: {
      values: [],
      build: (knex: Knex) => withoutRoute(select(knex), space, book, 'c.root_id'),
      lists,
    },
  }
}

/** Values of a tree, each with the version of the tree in the book. @param selected columns of the values, `f` */
function valuesOfRoot(
  knex: Knex,
  space: ContentSpace,
  book: Book,
  { root, route }: { root: string; route: string },
) {
  const query = knex(`${space.contentTrees.name} as t`).where('t.root_id', root)
  if (book === 'working')
    return query.leftJoin(`${space.contentFields.name} as f`, join =>
      join.on('f.route_id', knex.raw('?', [route])),
    )
  return query.leftJoin(`${space.publicValues.name} as f`, join =>
    join.on('f.root_id', knex.raw('?', [root])).andOn('f.position', knex.raw('0')),
  )
}

function valueQueries<V extends LeanValue>(space: ContentSpace, book: Book, { columns, decode }: Part<V>) {
  const version = columns.length
  const idAt = columns.indexOf('content_data_id')
  const entries = entriesOf(space, book).name
  /** In the public book the route of a value is that of its tree, and stored with the root alone. */
  const selected = (knex: Knex, route: string | null) =>
    columns.map(name =>
      name === 'route_id' && book === 'public'
        ? knex.raw(route === null ? 'null as f_route_id' : '? as f_route_id', route === null ? [] : [route])
        : `f.${name} as f_${name}`,
    )
  return {
    values: {
      values: ['root', 'route'] as const,
      build(knex: Knex, value: (name: 'root' | 'route') => string) {
        const [root, route] = [value('root'), value('route')]
        const versionOf = book === 'public' ? 't.public_version' : 't.version'
        return valuesOfRoot(knex, space, book, { root, route }).select([
          ...selected(knex, route),
          `${versionOf} as t_version`,
        ])
      },
      lists(rows: unknown[][]): ValuesOfTree<V>[] {
        const [first] = rows
        // An entry without values is a row without a value.
        const values = rows.filter(row => row[idAt] !== null).map(decode)
        return [{ values, treeVersion: first && Number(first[version]) }]
      },
    },
    valuesWithoutRoute: {
      values: [],
      build(knex: Knex) {
        const table = book === 'public' ? space.publicValues : space.contentFields
        const query = knex(`${table.name} as f`)
          .join(`${entries} as c`, 'c.content_data_id', 'f.content_data_id')
          .select(selected(knex, null))
        if (book === 'public') query.where('f.position', 0)
        return withoutRoute(query, space, book, 'c.root_id')
      },
      lists: (rows: unknown[][]) => rows.map(decode),
    },
  }
}

/** Rows come in no order; the tree gives them theirs, for less than the sorting of wide rows costs. */
const treeQueries = <E extends LeanEntry, V extends LeanValue>(
  space: ContentSpace,
  book: Book,
  entry: Part<E>,
  value: Part<V>,
): TreeQueries<E, V> => ({
  ...entryQueries(space, book, entry),
  ...valueQueries(space, book, value),
})

const whole = <T extends AnyTable>(table: T): Part<RowOf<T>> => ({
  columns: Object.keys(table.columns),
  decode: listDecoder(table, 0),
})

export const wholeTrees = bySpace(
  (space: ContentSpace, book: Book): TreeQueries<EntryRow, ValueRow> =>
    treeQueries(space, book, whole(space.contentData), whole(space.contentFields)),
)

export const leanTrees = bySpace(
  (space: ContentSpace, book: Book): TreeQueries<LeanEntry, LeanValue> =>
    treeQueries(space, book, leanEntry, leanValue),
)
