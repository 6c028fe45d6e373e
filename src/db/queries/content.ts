import { type AnyTable, type Bytes, listDecoder, type RowOf } from '../columns.js'
import { bySpace, each, type Query } from '../statements.js'
import { type ContentSpace, keptTables } from '../tables.js'
import { currentSql, type PageVersion, versionSql } from './page-version.js'

/** The reads that are more than one table by its columns. */

/** Columns under names of their own, for rows that are read as lists. */
export const named = (columns: readonly string[], alias: string) =>
  columns.map(name => `${alias}.${name} as ${alias}_${name}`)
export const columnsOf = (table: AnyTable, alias: string) => named(Object.keys(table.columns), alias)
const width = (table: AnyTable) => Object.keys(table.columns).length

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

/** Id, parent and root of every entry there is. */
export const entryShapes = bySpace(
  (space: ContentSpace): Query<never, { id: string; parent: string | null; root: string }> => ({
    values: [],
    build: knex =>
      knex(space.contentData.name)
        .select('content_data_id', 'parent_id', 'root_id')
        .orderBy('content_data_id'),
    lists: rows =>
      rows.map(row => ({ id: row[0] as string, parent: row[1] as string | null, root: row[2] as string })),
  }),
)

/** Entries with values that name another route than their tree is on, and the route of the tree. */
export const misroutedEntries = bySpace(
  (space: ContentSpace): Query<never, { id: string; root: string; route: string | null }> => ({
    values: [],
    build: knex =>
      knex(`${space.contentFields.name} as f`)
        .join(`${space.contentData.name} as c`, 'c.content_data_id', 'f.content_data_id')
        .join(`${space.contentData.name} as r`, 'r.content_data_id', 'c.root_id')
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

/** The greatest `sort_order` under a parent, or null. */
export const lastSibling = bySpace(
  (space: ContentSpace): Query<'parent', number | null> => ({
    values: ['parent'],
    build: (knex, value) =>
      knex(space.contentData.name).where('parent_id', value('parent')).max({ last: 'sort_order' }),
    rows: each(row => (row.last === null ? null : Number(row.last))),
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

/** Ids of entries that are planned to be published, or taken back, by now: the earliest first, some at once. */
export const dueEntries = bySpace(
  (space: ContentSpace, column: 'publish_at' | 'unpublish_at'): Query<'now', string> => ({
    values: ['now'],
    build: (knex, value) =>
      knex(space.contentData.name)
        .select('content_data_id as id')
        .where(column, '<=', value('now'))
        .orderBy([column, 'content_data_id'])
        .limit(100),
    rows: each(row => row.id as string),
  }),
)

export interface SchemaRow {
  /** The generation of `pages` that the whole answer belongs to. */
  version: number
  datatype: RowOf<ContentSpace['datatypes']> | undefined
  field: RowOf<ContentSpace['fields']> | undefined
}

/** Every datatype with its fields, in the order of both, and at least one row. */
export const schemaRows = bySpace((space: ContentSpace): Query<never, SchemaRow> => {
  const datatype = listDecoder(space.datatypes, 1)
  const fields = 1 + width(space.datatypes)
  const field = listDecoder(space.fields, fields)
  return {
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
})

export interface PageFound {
  routeId: string
  /** What the page is made of now, entries of other trees included; undefined while the route has no content. */
  made: PageVersion | undefined
  /** The finished answer, where one is kept and good: then `made` is what it was made of, and the rest is not known. */
  answer: { etag: string; body: Bytes } | undefined
  rootStatus: string | null
  route(): RowOf<ContentSpace['routes']>
}

/**
 * Everything that a request by slug needs to know, if there is such a page. A finished answer is found by its key
 * alone, and as long as it is good, the slug is compared with null, which nothing equals: so nothing else is looked for.
 */
export const pageFound = bySpace(
  (space: ContentSpace, audience: 'public' | 'working'): Query<'key' | 'maker' | 'slug', PageFound> => {
    const { pageAnswers, generations } = keptTables
    const route = listDecoder(space.routes, 0)
    const rest = width(space.routes)
    // Only the public can see less than the tree.
    const waits = audience === 'public'
    const good = currentSql(audience, { tree: 't', publicTree: 'p' })
    const present = versionSql(audience, { tree: 'ct', publicTree: 'cp' })
    /** Of the page that was looked for, else of the answer that is kept. */
    const either = (ofPage: string, ofAnswer: string) =>
      `case when r.slug is null then ${ofAnswer} else ${ofPage} end`
    return {
      values: ['key', 'maker', 'slug'],
      build(knex, value) {
        const unlessGood = knex.raw(`case when ${good} then null else ? end`, [value('maker'), value('slug')])
        const query = knex(`${generations.name} as g`)
          .leftJoin(`${generations.name} as l`, join => join.on('l.name', knex.raw('?', ['links'])))
          .leftJoin(`${pageAnswers.name} as a`, join =>
            join.on('a.answer_key', knex.raw('?', [value('key')])),
          )
          .leftJoin(`${space.contentTrees.name} as t`, 't.root_id', 'a.root_id')
        if (waits) query.leftJoin(`${space.publicTrees.name} as p`, 'p.root_id', 'a.root_id')
        query
          .leftJoin(`${space.routes.name} as r`, join => join.on('r.slug', unlessGood))
          .leftJoin(`${space.contentData.name} as c`, 'c.route_id', 'r.route_id')
          .leftJoin(`${space.contentTrees.name} as ct`, 'ct.root_id', 'c.content_data_id')
        if (waits) query.leftJoin(`${space.publicTrees.name} as cp`, 'cp.root_id', 'c.content_data_id')
        return query
          .where('g.name', 'pages')
          .select([
            ...Object.keys(space.routes.columns).map(name =>
              name === space.routes.key
                ? knex.raw('coalesce(r.route_id, a.route_id) as page_route')
                : `r.${name}`,
            ),
            knex.raw(`${either('c.content_data_id', 'a.root_id')} as root_id`),
            knex.raw(`${either(present.version, 'a.version')} as page_version`),
            knex.raw(`${either(present.waiting, 'a.waiting')} as waiting`),
            'g.value as pages_version',
            knex.raw(`${either('l.value', 'a.links_version')} as links_version`),
            'c.status as root_status',
            knex.raw(`case when ${good} then 1 else 0 end as good`, [value('maker')]),
            'a.etag as answer_etag',
            'a.body as answer_body',
          ])
      },
      lists([row = []]) {
        const number = (at: number) => Number(row[rest + at])
        const [rootId, linksVersion] = [row[rest], row[rest + 4]]
        const isGood = number(6) === 1
        if (!isGood && row[1] === null) return []
        return [
          {
            routeId: row[0] as string,
            made:
              rootId === null
                ? undefined
                : {
                    root_id: rootId as string,
                    version: number(1),
                    waiting: number(2) === 1,
                    pages_version: number(3),
                    links_version: linksVersion === null ? null : Number(linksVersion),
                  },
            answer: isGood ? { etag: row[rest + 7] as string, body: row[rest + 8] as Bytes } : undefined,
            rootStatus: row[rest + 5] as string | null,
            route: () => route(row),
          },
        ]
      },
    }
  },
)
