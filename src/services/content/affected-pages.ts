import type { RowOf } from '../../db/columns.js'
import { keptReferrers, referrers } from '../../db/queries/links.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import { anyIds } from './field-values.js'
import { slugsOf } from './route-translations.js'

type Entry = RowOf<ContentSpace['contentData']>

/** What a change affects beside the page of its entry. */
export interface AffectedContent {
  /** Entries that other pages may show otherwise now, or no longer. */
  readonly ids: readonly string[]
  /** Roots of further trees that have changed, as one that an entry was moved out of. */
  readonly roots?: readonly string[]
  /** Addresses at which a page was. */
  readonly slugs?: readonly string[]
}

export interface AffectedPages {
  /** Of the page that the entry is on; null without one. */
  slug: string | null
  /** Of every public page that is rendered otherwise now, sorted. */
  slugs: string[]
}

/** Roots of trees that show one of the entries through a relation. */
async function showing(read: Reader, space: ContentSpace, ids: readonly string[]): Promise<string[]> {
  const wanted = new Set(ids)
  const found = await read.queryIn(referrers(space), ids)
  const patterns = ids.map(id => `%${id}%`)
  return [
    ...found.filter(({ value }) => anyIds(value).some(id => wanted.has(id))).map(({ root }) => root),
    ...(await read.queryIn(keptReferrers(space), patterns)),
  ]
}

/**
 * The pages that a change of an entry affects, after the change and in its transaction: a few statements, however many
 * pages there are.
 * @param entry as the public saw it or sees it now
 * @param affected undefined when the public sees nothing of the change
 */
export async function affectedPages(
  read: Reader,
  space: ContentSpace,
  entry: Entry,
  affected?: () => Promise<AffectedContent>,
): Promise<AffectedPages> {
  const top =
    entry.root_id === entry.content_data_id ? entry : await read.get(space.contentData, entry.root_id)
  const route = top?.route_id ? await read.get(space.routes, top.route_id) : undefined
  const slug = route?.slug ?? null
  const known = entry.status === 'published' && affected ? await affected() : undefined
  const isSeen = top?.status === 'published'
  // Where the page is not public, only what has been moved off another concerns anybody.
  if (!known || !(isSeen || known.roots)) return { slug, slugs: [] }
  const { ids, roots = [], slugs = [] } = known
  const others = [...roots, ...(await showing(read, space, ids))]
  const trees = await read.findIn(space.contentData, 'content_data_id', [...new Set(others)])
  const routes = await read.findIn(
    space.routes,
    'route_id',
    trees.flatMap(({ status, route_id }) => (status === 'published' && route_id ? [route_id] : [])),
  )
  const own = isSeen && route ? slugsOf(route) : []
  return { slug, slugs: [...new Set([...own, ...slugs, ...routes.flatMap(slugsOf)])].sort() }
}
