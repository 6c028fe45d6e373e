import type { RowOf } from '../../db/columns.js'
import { referrers, treesWith } from '../../db/queries/links.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import { slugsOf } from './route-translations.js'

type Entry = RowOf<ContentSpace['contentData']>

/** Content that a change affects beside the page of its entry. */
export interface AffectedContent {
  /** Entries that other pages may show differently now, or no longer. */
  readonly ids: readonly string[]
  /** Roots of further trees that have changed, as one that an entry was moved out of. */
  readonly roots?: readonly string[]
  /** Addresses at which a page was. */
  readonly slugs?: readonly string[]
}

export interface AffectedPages {
  /** Of the page that the entry is on; null without one. */
  slug: string | null
  /** The name of the entry's datatype. */
  datatypes: string[]
  /** Of every public page that is rendered differently now, sorted. */
  slugs: string[]
}

/** Roots of trees in which the public sees one of the entries, there or through a relation. */
const referring = async (read: Reader, space: ContentSpace, ids: readonly string[]): Promise<string[]> => [
  ...(await read.queryIn(treesWith(space), ids)),
  ...(await read.queryIn(referrers(space), ids)),
]

/**
 * Roots of trees that show one of the entries through a relation. A tree without a route, such as a menu, is shown as a
 * whole by the pages that refer to its root: these too.
 */
export async function showing(read: Reader, space: ContentSpace, ids: readonly string[]): Promise<string[]> {
  const found = [...new Set(await referring(read, space, ids))]
  const roots = await read.findIn(space.contentData, 'content_data_id', found)
  const globals = roots.flatMap(({ content_data_id, route_id, status }) =>
    route_id === null && status === 'published' ? [content_data_id] : [],
  )
  return globals.length === 0 ? found : [...found, ...(await referring(read, space, globals))]
}

/** Addresses of the published pages among trees, by their roots. */
export async function pagesOfTrees(
  read: Reader,
  space: ContentSpace,
  roots: readonly string[],
): Promise<string[]> {
  const trees = await read.findIn(space.contentData, 'content_data_id', [...new Set(roots)])
  const routes = await read.findIn(
    space.routes,
    'route_id',
    trees.flatMap(({ status, route_id }) => (status === 'published' && route_id ? [route_id] : [])),
  )
  return routes.flatMap(slugsOf)
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
  const datatype = await read.get(space.datatypes, entry.datatype_id)
  const datatypes = datatype ? [datatype.name] : []
  const known = entry.status === 'published' && affected ? await affected() : undefined
  const isSeen = top?.status === 'published'
  // Where the page is not public, only what has been moved off another concerns anybody.
  if (!known || !(isSeen || known.roots)) return { slug, datatypes, slugs: [] }
  const { ids, roots = [], slugs = [] } = known
  // Who shows an entry of a tree without a route shows the tree.
  const shown = top && !top.route_id ? [...ids, top.content_data_id] : ids
  const others = await pagesOfTrees(read, space, [...roots, ...(await showing(read, space, shown))])
  const own = isSeen && route ? slugsOf(route) : []
  return { slug, datatypes, slugs: [...new Set([...own, ...slugs, ...others])].sort() }
}
