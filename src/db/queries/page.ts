import type { Knex } from 'knex'
import { aliasedColumns, type Bytes, listDecoder, type RowOf } from '../columns.js'
import { bySpace, type Query } from '../statements.js'
import { type ContentSpace, internalTables } from '../tables.js'
import { currentSql, type PageVersion, versionSql } from './page-version.js'

/** What finds a page and its stored rendering. */

export interface PageFound {
  routeId: string
  /** What the page is present of now, entries of other trees included; undefined while the route has no content. */
  present: PageVersion | undefined
  /** The stored rendering, where there is one and it is current: then the rest is not known. */
  stored: { etag: string; body: Bytes } | undefined
  rootStatus: string | null
  /** The locale that the slug is of; null for the route's own. */
  slugLocale: string | null
  route(): RowOf<ContentSpace['routes']>
}

type Audience = 'public' | 'working'
type Value = (name: 'key' | 'renderer' | 'slug') => string

/**
 * Expressions over the query's tables: `s` the stored rendering with the tree `st` and the pending tree `sp` of its
 * root, `o` and `t` the route and the translation that have the slug, `r` the route of either, `c` its root entry with `ct` and `cp` in the same way, `sc` and `cc` the counters of
 * the schema and of content.
 */
function expressions(audience: Audience) {
  const present = versionSql(audience, { tree: 'ct', publicTree: 'cp' })
  return {
    present,
    /** Has one place for a value: the version of the renderer. */
    isCurrent: currentSql(audience, { tree: 'st', publicTree: 'sp' }),
    /** Of the page that was looked for, else of the stored rendering. */
    either: (ofPage: string, ofRendering: string) =>
      `case when r.slug is null then ${ofRendering} else ${ofPage} end`,
  }
}

function joinTables(knex: Knex, space: ContentSpace, audience: Audience, value: Value) {
  const { renderedPages, counters } = internalTables
  const { isCurrent } = expressions(audience)
  const constant = (text: string) => knex.raw('?', [text])
  const slugUnlessCurrent = knex.raw(`case when ${isCurrent} then null else ? end`, [
    value('renderer'),
    value('slug'),
  ])
  const query = knex(`${counters.name} as sc`)
    .leftJoin(`${counters.name} as cc`, join => join.on('cc.name', constant('content_version')))
    .leftJoin(`${renderedPages.name} as s`, join => join.on('s.page_key', constant(value('key'))))
    .leftJoin(`${space.contentTrees.name} as st`, 'st.root_id', 's.root_id')
  if (audience === 'public') query.leftJoin(`${space.pendingTrees.name} as sp`, 'sp.root_id', 's.root_id')
  query
    .leftJoin(`${space.routes.name} as o`, join => join.on('o.slug', slugUnlessCurrent))
    .leftJoin(`${space.routeTranslations.name} as t`, join => join.on('t.slug', slugUnlessCurrent))
    .leftJoin(`${space.routes.name} as r`, join =>
      join.on('r.route_id', knex.raw('coalesce(o.route_id, t.route_id)')),
    )
    .leftJoin(`${space.contentData.name} as c`, 'c.route_id', 'r.route_id')
    .leftJoin(`${space.contentTrees.name} as ct`, 'ct.root_id', 'c.content_data_id')
  if (audience === 'public')
    query.leftJoin(`${space.pendingTrees.name} as cp`, 'cp.root_id', 'c.content_data_id')
  return query.where('sc.name', 'schema_version')
}

/** The columns in the order in which `pageOf` reads them, then those of the route. */
function selected(knex: Knex, space: ContentSpace, audience: Audience, value: Value) {
  const { present, isCurrent, either } = expressions(audience)
  const ofPage = [
    knex.raw(`${either('c.content_data_id', 's.root_id')} as root_id`),
    knex.raw(`${either(present.version, 's.version')} as page_version`),
    knex.raw(`${either(present.pending, 's.pending')} as pending`),
    'sc.value as schema_version',
    knex.raw(`${either('cc.value', 's.content_version')} as content_version`),
    'c.status as root_status',
    knex.raw(`case when ${isCurrent} then 1 else 0 end as is_current`, [value('renderer')]),
    's.etag as stored_etag',
    's.body as stored_body',
    knex.raw('coalesce(r.route_id, s.route_id) as page_route'),
    't.locale as slug_locale',
  ]
  return [...ofPage, ...aliasedColumns(space.routes, 'r')]
}
/** Where the columns of the route begin. */
const routeAt = 11

function pageOf(row: unknown[], route: PageFound['route']): PageFound | undefined {
  const [rootId, version, pending, schemaVersion, contentVersion, rootStatus] = row
  const isStored = Number(row[6]) === 1
  // The slug was looked for and not found. The first column of a route is its id.
  if (!isStored && row[routeAt] === null) return undefined
  return {
    routeId: row[9] as string,
    present:
      rootId === null
        ? undefined
        : {
            root_id: rootId as string,
            version: Number(version),
            pending: Number(pending) === 1,
            schema_version: Number(schemaVersion),
            content_version: contentVersion === null ? null : Number(contentVersion),
          },
    stored: isStored ? { etag: row[7] as string, body: row[8] as Bytes } : undefined,
    rootStatus: rootStatus as string | null,
    slugLocale: row[10] as string | null,
    route,
  }
}

/**
 * Everything that a request by slug needs to know, if there is such a page. A stored rendering is found by its key
 * alone, and while it is current the slug is compared with null, which nothing equals: so nothing else is looked for.
 */
export const pageFound = bySpace(
  (space: ContentSpace, audience: Audience): Query<'key' | 'renderer' | 'slug', PageFound> => {
    const route = listDecoder(space.routes, routeAt)
    return {
      values: ['key', 'renderer', 'slug'],
      build: (knex, value) =>
        joinTables(knex, space, audience, value).select(selected(knex, space, audience, value)),
      lists([row]) {
        const page = row && pageOf(row, () => route(row))
        return page ? [page] : []
      },
    }
  },
)
