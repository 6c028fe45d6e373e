import type { Knex } from 'knex'
import { aliasedColumns, listDecoder, type RowOf } from '../columns.js'
import { bySpace, type Query } from '../statements.js'
import { type ContentSpace, type CounterName, internalTables } from '../tables.js'
import type { PageVersion } from './page-version.js'
import type { Book } from './trees.js'

/** The queries that find a page. */

export interface PageFound {
  routeId: string
  /** The counters of the page now, with entries of other trees; undefined while the book has nothing on the route. */
  present: PageVersion | undefined
  /** The locale that the slug is of; null for the route's own. */
  slugLocale: string | null
  route(): RowOf<ContentSpace['routes']>
}

/**
 * Tables: `o` and `t` the route and the translation that have the slug, `r` the route of either, `c` its root entry in
 * the book, with the tree `ct`, `sc` and `cc` the counters of the schema and of content.
 */
function joinTables(knex: Knex, space: ContentSpace, book: Book, slug: string) {
  const { counters } = internalTables
  const constant = (text: string) => knex.raw('?', [text])
  const entries = book === 'public' ? space.publicEntries : space.contentData
  const content: CounterName = book === 'public' ? 'public_version' : 'content_version'
  return knex(`${counters.name} as sc`)
    .leftJoin(`${counters.name} as cc`, join => join.on('cc.name', constant(content)))
    .leftJoin(`${space.routes.name} as o`, join => join.on('o.slug', constant(slug)))
    .leftJoin(`${space.routeTranslations.name} as t`, join => join.on('t.slug', constant(slug)))
    .leftJoin(`${space.routes.name} as r`, join =>
      join.on('r.route_id', knex.raw('coalesce(o.route_id, t.route_id)')),
    )
    .leftJoin(`${entries.name} as c`, 'c.route_id', 'r.route_id')
    .leftJoin(`${space.contentTrees.name} as ct`, 'ct.root_id', 'c.content_data_id')
    .where('sc.name', 'schema_version')
}

/** The columns in the order in which `pageOf` reads them, then those of the route. */
const selected = (space: ContentSpace, book: Book) => [
  'c.content_data_id as root_id',
  `ct.${book === 'public' ? 'public_version' : 'version'} as page_version`,
  'sc.value as schema_version',
  'cc.value as content_version',
  't.locale as slug_locale',
  ...aliasedColumns(space.routes, 'r'),
]
const routeAt = 5

function pageOf(row: unknown[], route: PageFound['route']): PageFound | undefined {
  const [rootId, version, schemaVersion, contentVersion, slugLocale, routeId] = row
  // A missing slug gives a row without a route. The first column of a route is its id.
  if (routeId === null) return undefined
  return {
    routeId: routeId as string,
    present:
      rootId === null
        ? undefined
        : {
            root_id: rootId as string,
            version: Number(version),
            schema_version: Number(schemaVersion),
            content_version: contentVersion === null ? null : Number(contentVersion),
          },
    slugLocale: slugLocale as string | null,
    route,
  }
}

/** Everything that a request by slug needs to know, if there is such a page. */
export const pageFound = bySpace((space: ContentSpace, book: Book): Query<'slug', PageFound> => {
  const route = listDecoder(space.routes, routeAt)
  return {
    values: ['slug'],
    build: (knex, value) => joinTables(knex, space, book, value('slug')).select(selected(space, book)),
    lists([row]) {
      const page = row && pageOf(row, () => route(row))
      return page ? [page] : []
    },
  }
})
