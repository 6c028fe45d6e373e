import type { Knex } from 'knex'
import { bySpace, each, type RowsQuery } from '../statements.js'
import { type ContentSpace, tables } from '../tables.js'
import { hiddenValues } from './hidden-trees.js'

/** Reads of the list that people work through: one row for each tree, drafts too. */

type TreeState = 'draft' | 'published' | 'scheduled' | 'changed'

// Types and no interfaces, for a shape is a record of values.
export type TreeFilter = {
  readonly hasDatatype: boolean
  readonly hasAuthor: boolean
  /** How many ids there are; 0 for trees of every id. */
  readonly ids: number
  readonly state: TreeState | ''
  /** `page` for trees on a route, `shared` for trees without one, `''` for both. */
  readonly place: 'page' | 'shared' | ''
}

/** The columns by which trees are ordered. */
export const treeOrders = ['changed', 'title', 'datatype', 'address', 'state', 'author'] as const

export type TreeOrder = {
  readonly by: (typeof treeOrders)[number]
  readonly descending: boolean
  readonly titles: number
  /** Whether few trees pass, so that they are sorted. Else trees are looked at in the order of their changes. */
  readonly few: boolean
  /** Whether the first of all trees are listed by title, where an index has the titles of pages. */
  readonly firstTitles?: boolean
}

type Value = (name: string) => string

export const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${name}${i}`)

const filterValues = ({ hasDatatype, hasAuthor, ids }: TreeFilter): string[] => [
  ...(hasDatatype ? ['datatype'] : []),
  ...(hasAuthor ? ['author'] : []),
  ...numbered('id', ids),
]

const asksRoots = ({ hasDatatype, hasAuthor, place, state }: TreeFilter) =>
  hasDatatype || hasAuthor || place !== '' || (state !== '' && state !== 'changed')

/** Restricts trees `t`. */
function restrictTrees(query: Knex.QueryBuilder, filter: TreeFilter, value: Value): Knex.QueryBuilder {
  if (filter.ids > 0) query.whereIn('t.root_id', numbered('id', filter.ids).map(value))
  if (filter.state === 'changed') query.whereNotNull('t.pending_since')
  return query
}

/** How a column of roots is compared: as it is, or in a way that no index serves that begins with it. */
type Compared = (column: string) => string
const plain: Compared = column => column
const unindexed: Compared = column => `coalesce(${column}, '')`

/** Restricts roots of trees `r`. */
function restrictRoots(
  query: Knex.QueryBuilder,
  filter: TreeFilter,
  value: Value,
  compared: Compared,
): Knex.QueryBuilder {
  query.whereNull('r.parent_id')
  if (filter.hasDatatype) query.whereRaw(`${compared('r.datatype_id')} = ?`, [value('datatype')])
  if (filter.hasAuthor) query.whereRaw(`${compared('r.author_id')} = ?`, [value('author')])
  if (filter.place === 'page') query.whereRaw("coalesce(r.route_id, '') <> ''")
  if (filter.place === 'shared') query.whereRaw("coalesce(r.route_id, '') = ''")
  if (filter.state === 'scheduled') query.whereRaw('(r.publish_at is not null or r.unpublish_at is not null)')
  else if (filter.state === 'draft' || filter.state === 'published') query.where('r.status', filter.state)
  return query
}

/**
 * Roots `r` of the trees that pass. One index has the roots alone, with all that they are filtered by. SQLite would
 * prefer those of single columns, in which all entries under them are too.
 */
function roots(knex: Knex, space: ContentSpace, filter: TreeFilter, value: Value): Knex.QueryBuilder {
  const query = restrictRoots(knex(`${space.contentData.name} as r`), filter, value, unindexed)
  return filter.ids === 0 && filter.state !== 'changed'
    ? query
    : restrictTrees(withTrees(query, space), filter, value)
}

/** Joins trees `t` to roots `r`. SQLite keeps the order of a cross join. */
const withTrees = (query: Knex.QueryBuilder, { contentTrees }: ContentSpace) =>
  query.crossJoin(`${contentTrees.name} as t` as never).whereRaw('t.root_id = r.content_data_id')

/**
 * Trees `t` that pass, by the index of their last changes: each is looked at in its turn, and nothing is sorted. The
 * servers turn no subquery with a limit into a join, for which they would read all roots.
 */
function changedTrees(knex: Knex, space: ContentSpace, filter: TreeFilter, value: Value): Knex.QueryBuilder {
  const query = restrictTrees(knex(`${space.contentTrees.name} as t`), filter, value)
  if (!asksRoots(filter)) return query
  const root = knex(`${space.contentData.name} as r`)
    .select(knex.raw('1'))
    .where('r.content_data_id', knex.ref('t.root_id'))
  return query.whereRaw('(?) = 1', [restrictRoots(root, filter, value, plain).limit(1)])
}

/** Trees `t` that pass, by their roots: all of them, to be sorted. */
function fewTrees(knex: Knex, space: ContentSpace, filter: TreeFilter, value: Value): Knex.QueryBuilder {
  const query = roots(knex, space, filter, value)
  return filter.ids === 0 && filter.state !== 'changed' ? withTrees(query, space) : query
}

/** The name of a tree, in the order of `namesOf`: its page, else the first text of its root, else its datatype. */
const titleSql = (space: ContentSpace, titles: number): string =>
  `lower(coalesce(nullif(o.title, ''), ${untitledSql(space, titles)}))`

/** The name of a tree without the title of a page. */
function untitledSql({ contentFields, datatypes }: ContentSpace, titles: number): string {
  const label = `(select d.label from ${datatypes.name} d where d.datatype_id = r.datatype_id)`
  if (titles === 0) return label
  const places = Array.from({ length: titles }, () => '?').join()
  const text = `(select substr(v.field_value, 1, 191) from ${contentFields.name} v
    where v.content_data_id = r.content_data_id and v.field_id in (${places}) and v.field_value <> ''
    order by case when v.locale = '' then 0 else 1 end, v.content_field_id limit 1)`
  return `coalesce(${text}, ${label})`
}

/** The expression of the index of titles. */
const indexedTitle = 'substr(lower(o.title), 1, 64)'

/**
 * The first of all trees by title, as the value `most`: those with the title of a page from an index, in its order, and the
 * others sorted. Nothing is looked at that comes later in the index.
 */
function firstTitles(
  knex: Knex,
  space: ContentSpace,
  { titles, direction, value }: { titles: number; direction: string; value: Value },
): Knex.QueryBuilder {
  const untitled = knex.raw(
    `lower(${untitledSql(space, titles)}) as title`,
    numbered('title', titles).map(value),
  )
  const first = (trees: Knex.QueryBuilder, title: Knex.Raw, order: string) =>
    trees
      .select('r.content_data_id as id', title)
      .whereNull('r.parent_id')
      .orderByRaw(`${order} limit ?`, [value('most')])
  // SQLite keeps the order of a cross join.
  const pages = (condition: string) =>
    knex(`${space.routes.name} as o`)
      .crossJoin(`${space.contentData.name} as r` as never)
      .whereRaw(`r.route_id = o.route_id and ${indexedTitle} ${condition}`)
  const [titled, nameless, shared] = [
    first(
      pages("> ''"),
      knex.raw('lower(o.title) as title'),
      `${indexedTitle} ${direction}, lower(o.title) ${direction}, r.content_data_id ${direction}`,
    ),
    first(pages("= ''"), untitled, `2 ${direction}, 1 ${direction}`),
    first(
      // As `roots`: by the index of routes there would be all entries without one.
      knex(`${space.contentData.name} as r`).whereRaw(`${unindexed('r.route_id')} = ''`),
      untitled,
      `2 ${direction}, 1 ${direction}`,
    ),
  ]
  return knex
    .select('*')
    .from(titled.as('a'))
    .unionAll([knex.select('*').from(nameless.as('b')), knex.select('*').from(shared.as('c'))])
}

/** Draft, scheduled, with unpublished changes, published: what `stateOf` says of a root, as a number. */
const stateSql = ({ contentTrees }: ContentSpace) => `case
  when exists (select 1 from ${contentTrees.name} p where p.root_id = r.content_data_id
    and p.pending_since is not null) then 3
  when r.publish_at is not null or r.unpublish_at is not null then 2
  when r.status = 'published' then 4 else 1 end`

const authorSql = `(select lower(coalesce(nullif(u.name, ''), u.username)) from ${tables.users.name} u
  where u.user_id = r.author_id)`

function orderSql(space: ContentSpace, by: Exclude<TreeOrder['by'], 'changed'>, titles: number): string {
  switch (by) {
    case 'title':
      return titleSql(space, titles)
    case 'datatype':
      return `(select lower(d.label) from ${space.datatypes.name} d where d.datatype_id = r.datatype_id)`
    case 'address':
      return "coalesce(o.slug, '')"
    case 'state':
      return stateSql(space)
    case 'author':
      return authorSql
  }
}

/**
 * Ids of the roots that pass, in an order. By change it comes from an index; by another column, or with rare ones, it looks
 * at all of them, so that it is to be run as `boundedQuery`.
 */
export const listTrees = bySpace(
  (
    space: ContentSpace,
    filter: TreeFilter,
    { by, descending, titles, few, firstTitles: isFirst = false }: TreeOrder,
  ): RowsQuery<string, string> => {
    const fields = by === 'title' ? numbered('title', titles) : []
    const direction = descending ? 'desc' : 'asc'
    return {
      values: [...filterValues(filter), ...fields, ...(isFirst ? ['most'] : []), 'limit', 'offset'],
      build(knex, value) {
        const slice = [value('limit'), value('offset')]
        if (by === 'changed')
          return (few && asksRoots(filter) ? fewTrees : changedTrees)(knex, space, filter, value)
            .select('t.root_id as id')
            .orderByRaw(`t.changed_at ${direction}, t.root_id ${direction} limit ? offset ?`, slice)
        if (isFirst)
          return knex
            .select('t.id')
            .from(firstTitles(knex, space, { titles, direction, value }).as('t'))
            .orderByRaw(`t.title ${direction}, t.id ${direction} limit ? offset ?`, slice)
        return roots(knex, space, filter, value)
          .leftJoin(`${space.routes.name} as o`, 'o.route_id', 'r.route_id')
          .select('r.content_data_id as id')
          .orderByRaw(
            `${orderSql(space, by, titles)} ${direction}, r.content_data_id ${direction} limit ? offset ?`,
            [...fields.map(value), ...slice],
          )
      },
      rows: each(row => row.id as string),
    }
  },
)

/** How many pass. */
export const countTrees = bySpace(
  (space: ContentSpace, filter: TreeFilter): RowsQuery<string, number> => ({
    values: filterValues(filter),
    build: (knex, value) =>
      (asksRoots(filter) ? roots : changedTrees)(knex, space, filter, value).count({ n: '*' }),
    rows: each(row => Number(row.n)),
  }),
)

const written = ['text', 'textarea', 'richtext', 'select', 'slug', 'email', 'url']

/** How many values with the words are looked at for each tree that is wanted: several may be of one tree. */
const valuesOfTree = 40

/**
 * Roots of the first trees with something that the public does not see, which have all words, as `word0` and more, in one
 * value; the patterns have `!` before `%`. It looks at all values of these trees, and ends where enough have the words.
 */
export const hiddenTreesWithWords = bySpace(
  (space: ContentSpace, words: number, most: number): RowsQuery<string, string> => ({
    values: numbered('word', words),
    build(knex, value) {
      const query = hiddenValues(knex, space)
        .join(`${space.fields.name} as f`, 'f.field_id', 'v.field_id')
        .whereIn('f.field_type', written)
      for (const word of numbered('word', words))
        query.whereRaw("lower(v.field_value) like ? escape '!'", [value(word)])
      const found = query.select('c.root_id as id').limit(most * valuesOfTree)
      return knex.distinct('id').from(found.as('found')).limit(most)
    },
    rows: each(row => row.id as string),
  }),
)

/** Roots of the first pages that have all of these words in their title or slug. It looks at all routes. */
export const pagesWithWords = bySpace(
  (space: ContentSpace, words: number, most: number): RowsQuery<string, string> => ({
    values: numbered('word', words),
    build(knex, value) {
      const query = knex(`${space.routes.name} as o`).join(
        `${space.contentData.name} as r`,
        'r.route_id',
        'o.route_id',
      )
      for (const word of numbered('word', words))
        query.whereRaw("(lower(o.title) like ? escape '!' or lower(o.slug) like ? escape '!')", [
          value(word),
          value(word),
        ])
      return query.select('r.content_data_id as id').limit(most)
    },
    rows: each(row => row.id as string),
  }),
)

/** The first routes that no tree is on. It looks at all routes where each has one. */
export const emptyRoutes = bySpace(
  (space: ContentSpace, most: number): RowsQuery<string, string> => ({
    values: [],
    build: knex =>
      knex(`${space.routes.name} as o`)
        .whereNotExists(
          knex(`${space.contentData.name} as r`)
            .select(knex.raw('1'))
            .where('r.route_id', knex.ref('o.route_id')),
        )
        .select('o.route_id as id')
        .orderBy('o.route_id')
        .limit(most),
    rows: each(row => row.id as string),
  }),
)
