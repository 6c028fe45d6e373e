import type { RowOf } from '../columns.js'
import { bySpace, each, type ListQuery, type Query } from '../statements.js'
import type { ContentSpace } from '../tables.js'

/** Reads of content that are more than one table by its columns. */

/** Ids and parents of a whole tree. */
export const treeShape = bySpace(
  (space: ContentSpace): Query<'root', { id: string; parent: string | null }> => ({
    values: ['root'],
    build: (knex, value) =>
      knex(space.contentData.name)
        .select('content_data_id', 'parent_id')
        .where('root_id', value('root'))
        .orderBy('content_data_id'),
    rows: each(row => ({ id: row.content_data_id as string, parent: row.parent_id as string | null })),
  }),
)

/** Roots of the trees that have an entry of the datatype in them. */
export const rootsOfDatatype = bySpace(
  (space: ContentSpace): Query<'datatype', string> => ({
    values: ['datatype'],
    build: (knex, value) =>
      knex(space.contentData.name).distinct('root_id').where('datatype_id', value('datatype')),
    lists: rows => rows.map(row => row[0] as string),
  }),
)

/** Trees with pending changes, those that wait longest first, at most `limit` of them. */
export const pendingTrees = bySpace(
  (space: ContentSpace, limit: number): Query<never, { root_id: string; since: string }> => ({
    values: [],
    build: knex =>
      knex(space.contentTrees.name)
        .select('root_id', 'pending_since')
        .whereNotNull('pending_since')
        .orderBy(['pending_since', 'root_id'])
        .limit(limit),
    lists: rows => rows.map(row => ({ root_id: row[0] as string, since: row[1] as string })),
  }),
)

/** How many trees are counted by one statement. */
export const treesAtOnce = 500

/** Trees with the number of their entries, in the order of their roots and from after one of them. */
export const treeSizes = bySpace(
  (space: ContentSpace): Query<'after', { root: string; entries: number }> => ({
    values: ['after'],
    build: (knex, value) =>
      knex(space.contentData.name)
        .select('root_id')
        .count({ n: '*' })
        .where('root_id', '>', value('after'))
        .groupBy('root_id')
        .orderBy('root_id')
        .limit(treesAtOnce),
    lists: rows => rows.map(row => ({ root: row[0] as string, entries: Number(row[1]) })),
  }),
)

/** The place of an entry: its parent, and the tree that it is counted to. */
export interface Shape {
  readonly id: string
  readonly parent: string | null
  readonly root: string
}

/** Entries of the trees whose roots come after one and not after another. */
export const shapesBetween = bySpace(
  (space: ContentSpace): Query<'after' | 'until', Shape> => ({
    values: ['after', 'until'],
    build: (knex, value) =>
      knex(space.contentData.name)
        .select('content_data_id', 'parent_id', 'root_id')
        .where('root_id', '>', value('after'))
        .where('root_id', '<=', value('until')),
    lists: rows =>
      rows.map(row => ({ id: row[0] as string, parent: row[1] as string | null, root: row[2] as string })),
  }),
)

/** Entries of such trees with values that name another route than their tree is on, and the route of the tree. */
export const misroutedBetween = bySpace(
  (space: ContentSpace): Query<'after' | 'until', { id: string; root: string; route: string | null }> => ({
    values: ['after', 'until'],
    build: (knex, value) =>
      knex(`${space.contentFields.name} as f`)
        .join(`${space.contentData.name} as c`, 'c.content_data_id', 'f.content_data_id')
        .join(`${space.contentData.name} as r`, 'r.content_data_id', 'c.root_id')
        .where('c.root_id', '>', value('after'))
        .where('c.root_id', '<=', value('until'))
        .whereRaw('(f.route_id <> r.route_id or (f.route_id is null) <> (r.route_id is null))')
        .distinct('c.content_data_id as id', 'c.root_id as root', 'r.route_id as route')
        .orderBy('c.content_data_id'),
    rows: each(row => ({
      id: row.id as string,
      root: row.root as string,
      route: row.route as string | null,
    })),
  }),
)

/** How many values entries have, and how long they are together. One row for each piece of the list. */
export const valueSizes = bySpace(
  (space: ContentSpace): ListQuery<{ values: number; characters: number }> => ({
    build: (knex, values) =>
      knex(space.contentFields.name)
        .whereIn('content_data_id', values)
        .select([
          knex.raw('count(*) as how_many'),
          knex.raw('coalesce(sum(length(field_value)), 0) as how_long'),
        ]),
    lists: rows => rows.map(row => ({ values: Number(row[0]), characters: Number(row[1]) })),
  }),
)

/** The greatest `sort_order` under a parent, or null. */
export const lastSibling = bySpace(
  (space: ContentSpace): Query<'parent', number | null> => ({
    values: ['parent'],
    build: (knex, value) =>
      knex(space.contentData.name).where('parent_id', value('parent')).max({ last: 'sort_order' }),
    rows: each(row => (row.last === null ? null : Number(row.last))),
  }),
)

/** How many children of a parent come before a place among them. */
export const earlierSiblings = bySpace(
  (space: ContentSpace): Query<'parent' | 'order' | 'id', number> => ({
    values: ['parent', 'order', 'id'],
    build: (knex, value) =>
      knex(space.contentData.name)
        .where('parent_id', value('parent'))
        .whereRaw('(sort_order < ? or (sort_order = ? and content_data_id < ?))', [
          value('order'),
          value('order'),
          value('id'),
        ])
        .count({ n: '*' }),
    rows: each(row => Number(row.n)),
  }),
)

/** The versions of an entry in one locale, oldest first. */
export const versionNumbers = bySpace(
  (space: ContentSpace): Query<'entry' | 'locale', { id: string; number: number }> => ({
    values: ['entry', 'locale'],
    build: (knex, value) =>
      knex(space.contentVersions.name)
        .select('content_version_id as id', 'version_number as number')
        .where('content_data_id', value('entry'))
        .where('locale', value('locale'))
        .orderBy('version_number'),
    rows: each(row => ({ id: row.id as string, number: Number(row.number) })),
  }),
)

/** A version without its snapshot. */
export type VersionSummary = Omit<RowOf<ContentSpace['contentVersions']>, 'snapshot'>

/** The versions of an entry, newest first. */
export const versionSummaries = bySpace(
  (space: ContentSpace, limit: number): Query<'entry', VersionSummary> => ({
    values: ['entry'],
    build: (knex, value) =>
      knex(space.contentVersions.name)
        .select(Object.keys(space.contentVersions.columns).filter(name => name !== 'snapshot'))
        .where('content_data_id', value('entry'))
        .orderBy([
          { column: 'date_created', order: 'desc' },
          { column: 'content_version_id', order: 'desc' },
        ])
        .limit(limit),
    // Nothing of it but the snapshot is stored otherwise than it is shown.
    rows: each(row => ({ ...(row as VersionSummary), version_number: Number(row.version_number) })),
  }),
)

export interface DueEntry {
  readonly id: string
  readonly at: string
}

/** Entries that are due to be published or unpublished until a time: the earliest first, a bounded number at once. */
export const dueEntries = bySpace(
  (space: ContentSpace, column: 'publish_at' | 'unpublish_at'): Query<'until', DueEntry> => ({
    values: ['until'],
    build: (knex, value) =>
      knex(space.contentData.name)
        .select('content_data_id as id', `${column} as at`)
        .where(column, '<=', value('until'))
        .orderBy([column, 'content_data_id'])
        .limit(100),
    rows: each(row => ({ id: row.id as string, at: row.at as string })),
  }),
)
