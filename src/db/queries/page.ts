import type { Knex } from 'knex'
import { aliasedColumns, listDecoder, type RowOf } from '../columns.js'
import { bySpace, type Query } from '../statements.js'
import { type ContentSpace, internalTables } from '../tables.js'
import type { PageVersion } from './page-version.js'

/** What finds a page. */

export interface PageFound {
  routeId: string
  /** What the page is made of now, entries of other trees included; undefined while the route has no content. */
  present: PageVersion | undefined
  rootStatus: string | null
  /** The locale that the slug is of; null for the route's own. */
  slugLocale: string | null
  route(): RowOf<ContentSpace['routes']>
}

type Audience = 'public' | 'working'

/**
 * Tables: `o` and `t` the route and the translation that have the slug, `r` the route of either, `c` its root entry with
 * the tree `ct` and the pending tree `cp`, `sc` and `cc` the counters of the schema and of content.
 */
function joinTables(knex: Knex, space: ContentSpace, audience: Audience, slug: string) {
  const { counters } = internalTables
  const constant = (text: string) => knex.raw('?', [text])
  const query = knex(`${counters.name} as sc`)
    .leftJoin(`${counters.name} as cc`, join => join.on('cc.name', constant('content_version')))
    .leftJoin(`${space.routes.name} as o`, join => join.on('o.slug', constant(slug)))
    .leftJoin(`${space.routeTranslations.name} as t`, join => join.on('t.slug', constant(slug)))
    .leftJoin(`${space.routes.name} as r`, join =>
      join.on('r.route_id', knex.raw('coalesce(o.route_id, t.route_id)')),
    )
    .leftJoin(`${space.contentData.name} as c`, 'c.route_id', 'r.route_id')
    .leftJoin(`${space.contentTrees.name} as ct`, 'ct.root_id', 'c.content_data_id')
  if (audience === 'public')
    query.leftJoin(`${space.pendingTrees.name} as cp`, 'cp.root_id', 'c.content_data_id')
  return query.where('sc.name', 'schema_version')
}

/** The present version of a root. Only the public can see less than the tree. */
const versionSql = (audience: Audience) =>
  audience === 'public'
    ? ['coalesce(cp.version, ct.version)', 'case when cp.root_id is null then 0 else 1 end']
    : ['ct.version', '0']

/** The columns in the order in which `pageOf` reads them, then those of the route. */
function selected(knex: Knex, space: ContentSpace, audience: Audience) {
  const [version, pending] = versionSql(audience)
  return [
    'c.content_data_id as root_id',
    knex.raw(`${version} as page_version`),
    knex.raw(`${pending} as pending`),
    'sc.value as schema_version',
    'cc.value as content_version',
    'c.status as root_status',
    't.locale as slug_locale',
    ...aliasedColumns(space.routes, 'r'),
  ]
}
/** Where the columns of the route begin. */
const routeAt = 7

function pageOf(row: unknown[], route: PageFound['route']): PageFound | undefined {
  const [rootId, version, pending, schemaVersion, contentVersion, rootStatus, slugLocale, routeId] = row
  // The slug was looked for and not found. The first column of a route is its id.
  if (routeId === null) return undefined
  return {
    routeId: routeId as string,
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
    rootStatus: rootStatus as string | null,
    slugLocale: slugLocale as string | null,
    route,
  }
}

/** Everything that a request by slug needs to know, if there is such a page. */
export const pageFound = bySpace((space: ContentSpace, audience: Audience): Query<'slug', PageFound> => {
  const route = listDecoder(space.routes, routeAt)
  return {
    values: ['slug'],
    build: (knex, value) =>
      joinTables(knex, space, audience, value('slug')).select(selected(knex, space, audience)),
    lists([row]) {
      const page = row && pageOf(row, () => route(row))
      return page ? [page] : []
    },
  }
})
