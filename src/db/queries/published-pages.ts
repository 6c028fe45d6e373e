import { nextTurn } from '../../turns.js'
import type { RouteTranslations } from '../content-tables.js'
import type { Reader } from '../reader.js'
import { bySpace, each, type Query } from '../statements.js'
import type { ContentSpace } from '../tables.js'

/** A page that the public sees. */
export interface PublishedPage {
  id: string
  routeId: string
  type: string
  slug: string
  title: string
  translations: RouteTranslations
  /** When its address, its title or anything that it has in its tree was last changed for the public. */
  modified: string
}

/** Routes in the order of their ids: those behind `after`, up to `until` where there is such an end. */
export interface PageRange {
  readonly after: string
  readonly until: string | undefined
}

const latest = (...times: unknown[]): string =>
  times.filter((time): time is string => typeof time === 'string').reduce((a, b) => (a > b ? a : b), '')

type Names = 'after' | 'until'

/** Pages of a range, with an end or without. */
export const publishedPagesAt = bySpace(
  (space: ContentSpace, hasEnd: boolean, limit: number): Query<Names, PublishedPage> => ({
    values: ['after', 'until'],
    build(knex, value) {
      const query = knex(`${space.publicEntries.name} as e`)
        .join(`${space.routes.name} as r`, 'r.route_id', 'e.route_id')
        .join(`${space.datatypes.name} as d`, 'd.datatype_id', 'e.datatype_id')
        .leftJoin(`${space.contentTrees.name} as m`, 'm.root_id', 'e.root_id')
        .select({
          id: 'e.content_data_id',
          route_id: 'e.route_id',
          published_at: 'e.published_at',
          type: 'd.name',
          slug: 'r.slug',
          title: 'r.title',
          translations: 'r.translations',
          routed: 'r.date_modified',
          modified: 'm.public_modified',
        })
        .where('e.route_id', '>', value('after'))
      if (hasEnd) query.where('e.route_id', '<=', value('until'))
      return query.orderBy('e.route_id').limit(limit)
    },
    rows: each(row => ({
      id: row.id as string,
      routeId: row.route_id as string,
      type: row.type as string,
      slug: row.slug as string,
      title: row.title as string,
      translations: JSON.parse(row.translations as string) as RouteTranslations,
      modified: latest(row.routed, row.modified, row.published_at),
    })),
  }),
)

/** The id of the route that so many published routes are before, behind another one. */
export const publishedRouteBehind = bySpace(
  (space: ContentSpace, offset: number): Query<'after', string> => ({
    values: ['after'],
    build: (knex, value) =>
      knex(`${space.publicEntries.name} as e`)
        .select('e.route_id')
        .where('e.route_id', '>', value('after'))
        .orderBy('e.route_id')
        .limit(1)
        .offset(offset),
    rows: each(row => row.route_id as string),
  }),
)

/** Published pages, at most `limit` of them. */
export const publishedPages = (
  read: Reader,
  space: ContentSpace,
  { after, until }: PageRange,
  limit: number,
): Promise<PublishedPage[]> =>
  read.query(publishedPagesAt(space, until !== undefined, limit), { after, until: until ?? '' })

/** Published pages in pieces of `piece`, at most `most` in all; other work has its turn between the pieces. */
export async function* publishedPagesInPieces(
  read: Reader,
  space: ContentSpace,
  range: PageRange,
  { piece, most }: { piece: number; most: number },
): AsyncGenerator<PublishedPage[]> {
  let { after } = range
  for (let left = most; left > 0; ) {
    const found = await publishedPages(read, space, { ...range, after }, piece)
    if (found.length > 0) yield found.slice(0, left)
    const last = found.at(-1)
    if (!last || found.length < piece) return
    after = last.routeId
    left -= found.length
    // SQLite answers within the call, so that nothing else would have its turn between the pieces.
    await nextTurn()
  }
}

/** The last route of each full list of `length` published routes, if another route comes after it. */
export async function* listEnds(
  read: Reader,
  space: ContentSpace,
  length: number,
): AsyncGenerator<string, void> {
  for (let after = ''; ; ) {
    const [end] = await read.query(publishedRouteBehind(space, length - 1), { after })
    if (end === undefined) return
    const [more] = await read.query(publishedRouteBehind(space, 0), { after: end })
    if (more === undefined) return
    yield end
    after = end
    // SQLite answers within the call, so that nothing else would have its turn between the pieces.
    await nextTurn()
  }
}
