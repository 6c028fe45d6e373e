import type { Database } from '../../db/database.js'
import {
  countTrees,
  emptyRoutes,
  hiddenTreesWithWords,
  listTrees,
  numbered,
  pagesWithWords,
  type TreeFilter,
  type TreeOrder,
} from '../../db/queries/work-list.js'
import type { ContentSpace } from '../../db/tables.js'
import { escapedForLike } from '../matching.js'

export { treeOrders } from '../../db/queries/work-list.js'

/** Which trees are listed. Without a member all of them. */
export interface TreesAsked {
  readonly datatype_id?: string | undefined
  readonly author_id?: string | undefined
  readonly state?: Exclude<TreeFilter['state'], ''> | undefined
  readonly place?: Exclude<TreeFilter['place'], ''> | undefined
  readonly roots?: readonly string[] | undefined
}

/** From so many on it costs less to sort all trees by title than to take them from an index. */
const maxFirst = 1000
/** From so many on it costs more to sort trees than to look at all of them until a page is full. */
const maxSorted = 10_000

export interface TreesOrder extends Pick<TreeOrder, 'by' | 'descending'> {
  readonly titleFields: readonly string[]
}

const [maxRoots, maxFields] = [512, 64]
const [maxWords, maxLength] = [6, 100]

/** Fills a list up to a power of two with its last item, to keep the number of different statements small. */
function filled(list: readonly string[], most: number): string[] {
  const some = list.slice(0, most)
  if (some.length === 0) return []
  const length = 2 ** Math.ceil(Math.log2(some.length))
  return Array.from({ length }, (_, i) => some[Math.min(i, some.length - 1)] as string)
}

const named = (name: string, list: readonly string[]): [string, string][] =>
  numbered(name, list.length).map((key, i) => [key, list[i] as string])

/**
 * The trees of a content space, drafts too, in the orders in which people work through them. The one by change has an
 * index. No index has titles, or words that the public does not see: there the engine looks at all trees that pass,
 * beside other statements and in bounded time. By state nothing is sorted: it is four facts and no column.
 */
export function workList(db: Database, space: ContentSpace) {
  function filterOf({ datatype_id, author_id, state, place, roots }: TreesAsked) {
    const ids = filled(roots ?? [], maxRoots)
    const filter: TreeFilter = {
      hasDatatype: datatype_id !== undefined,
      hasAuthor: author_id !== undefined,
      ids: ids.length,
      state: state ?? '',
      place: place ?? '',
    }
    const values = new Map([
      ['datatype', datatype_id ?? ''],
      ['author', author_id ?? ''],
      ...named('id', ids),
    ])
    return { filter, values, isImpossible: roots?.length === 0 }
  }
  const pick = (names: readonly string[], values: ReadonlyMap<string, string | number>) =>
    Object.fromEntries(names.map(name => [name, values.get(name) ?? '']))

  return {
    /** @param slice.total how many pass, as `count` says */
    async list(
      asked: TreesAsked,
      order: TreesOrder,
      { limit, offset, total }: { limit: number; offset: number; total: number },
    ) {
      const { filter, values, isImpossible } = filterOf(asked)
      if (isImpossible) return []
      const { by, descending, titleFields } = order
      const fields = by === 'title' ? filled(titleFields, maxFields) : []
      const isWhole = Object.values(asked).every(one => one === undefined)
      const query = listTrees(space, filter, {
        firstTitles: by === 'title' && db.hasTitlesInOrder && isWhole && offset + limit <= maxFirst,
        by,
        descending,
        titles: fields.length,
        few: total <= maxSorted,
      })
      const all = new Map<string, string | number>([...values, ...named('title', fields)])
      all
        .set('limit', limit)
        .set('offset', offset)
        .set('most', offset + limit)
      return db.boundedQuery(query, pick(query.values, all))
    },
    async count(asked: TreesAsked): Promise<number> {
      const { filter, values, isImpossible } = filterOf(asked)
      if (isImpossible) return 0
      const query = countTrees(space, filter)
      const [n = 0] = await db.boundedQuery(query, pick(query.values, values))
      return n
    },
    /**
     * Roots of the first trees that have all words of a text in their page's title or slug, or, where the public does not
     * see all of a tree, in one value. The search has the texts of the others.
     */
    async withWords(text: string, most: number): Promise<string[]> {
      const words = text.trim().normalize('NFC').toLowerCase().slice(0, maxLength).split(/\s+/)
      const asked = words.filter(Boolean).slice(0, maxWords)
      if (asked.length === 0 || !text.isWellFormed()) return []
      const patterns = asked.map(word => `%${escapedForLike(word)}%`)
      const values = Object.fromEntries(named('word', patterns))
      const pages = await db.boundedQuery(pagesWithWords(space, asked.length, most), values)
      const trees = await db.boundedQuery(hiddenTreesWithWords(space, asked.length, most), values)
      return [...new Set([...pages, ...trees])].slice(0, most)
    },
    emptyRoutes: (most: number) => db.boundedQuery(emptyRoutes(space, most), {}),
  }
}
