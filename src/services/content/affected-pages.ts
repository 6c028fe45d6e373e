import { referrers, treesWith } from '../../db/queries/links.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace, EntryRow } from '../../db/tables.js'
import { limits } from '../../limits.js'
import { slugsOf } from './route-translations.js'
import { kindKey, sortedKeys, surrogateKeys } from './surrogate-keys.js'

/** Content that a change affects beside the page of its entry. */
export interface AffectedContent {
  readonly ids: readonly string[]
  readonly roots?: readonly string[]
  readonly slugs?: readonly string[]
}

export interface AffectedPages {
  slug: string | null
  datatypes: string[]
  slugs: string[]
  /** Those of cached responses that are different now, sorted. */
  surrogate_keys: string[]
}

export interface PageKeys {
  readonly slugs: readonly string[]
  /** Ids of their routes. */
  readonly keys: readonly string[]
}

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

/** The published pages among trees, by their roots. */
export async function pagesOfTrees(
  read: Reader,
  space: ContentSpace,
  roots: readonly string[],
): Promise<PageKeys> {
  const trees = await read.findIn(space.contentData, 'content_data_id', [...new Set(roots)])
  const routes = await read.findIn(
    space.routes,
    'route_id',
    trees.flatMap(({ status, route_id }) => (status === 'published' && route_id ? [route_id] : [])),
  )
  return { slugs: routes.flatMap(slugsOf), keys: routes.map(({ route_id }) => route_id) }
}

/** The keys of pages; beyond the most that an event names, that of all pages. */
export const boundedKeys = (pages: readonly string[]): readonly string[] =>
  pages.length > limits.webhooks.pagesInEvent ? [surrogateKeys.pages] : pages

/**
 * The pages that a change of an entry affects, after the change and in its transaction: a few statements, however many
 * pages there are.
 * @param entry as the public saw it or sees it now
 * @param affected undefined when the public sees nothing of the change
 * @param isEdit whether entries stay as public as they were
 */
export async function affectedPages(
  read: Reader,
  space: ContentSpace,
  entry: EntryRow,
  affected?: () => Promise<AffectedContent>,
  isEdit = false,
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
  if (!known || !(isSeen || known.roots)) return { slug, datatypes, slugs: [], surrogate_keys: [] }
  const { ids, roots = [], slugs = [] } = known
  // Who shows an entry of a tree without a route shows the tree.
  const shown = top && !top.route_id ? [...ids, top.content_data_id] : ids
  const others = await pagesOfTrees(read, space, [...roots, ...(await showing(read, space, shown))])
  const own = isSeen && route ? slugsOf(route) : []
  const pages = [entry.root_id, ...roots, ...(route ? [route.route_id] : []), ...others.keys]
  // An edit of one entry changes lists of its datatype; anything else, what is listed of others, and addresses.
  const isOfOne = isEdit && ids.length === 1 && ids[0] === entry.content_data_id
  const lists =
    isOfOne && known.roots === undefined && known.slugs === undefined
      ? datatypes.map(kindKey)
      : [surrogateKeys.lists, surrogateKeys.redirects]
  return {
    slug,
    datatypes,
    slugs: [...new Set([...own, ...slugs, ...others.slugs])].sort(),
    surrogate_keys: sortedKeys([...boundedKeys(pages), ...lists, surrogateKeys.content]),
  }
}
