import { type Bytes, listDecoder, type RowOf } from '../columns.js'
import { bySpace, type Query } from '../statements.js'
import { type ContentSpace, keptTables } from '../tables.js'

/** What finds a page and its stored rendering. */

/** What a page is made of: while all of it is the same, so is the answer. */
export type MadeOf = Pick<
  RowOf<typeof keptTables.pageAnswers>,
  'root_id' | 'version' | 'waiting' | 'pages_version' | 'links_version'
>

export interface PageFound {
  routeId: string
  /** What the page is made of now, entries of other trees included; undefined while the route has no content. */
  made: MadeOf | undefined
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
    const { pageAnswers, counters } = keptTables
    const route = listDecoder(space.routes, 0)
    const rest = Object.keys(space.routes.columns).length
    // Only the public can see less than the tree.
    const waits = audience === 'public'
    const waiting = (p: string) => (waits ? `case when ${p}.root_id is null then 0 else 1 end` : '0')
    const version = (p: string, t: string) =>
      waits ? `coalesce(${p}.version, ${t}.version)` : `${t}.version`
    const good = `a.maker = ? and a.version = ${version('p', 't')} and a.waiting = ${waiting('p')}
    and a.pages_version = g.value and (a.links_version is null or a.links_version = l.value)`
    /** Of the page that was looked for, else of the answer that is kept. */
    const either = (ofPage: string, ofAnswer: string) =>
      `case when r.slug is null then ${ofAnswer} else ${ofPage} end`
    return {
      values: ['key', 'maker', 'slug'],
      build(knex, value) {
        const unlessGood = knex.raw(`case when ${good} then null else ? end`, [value('maker'), value('slug')])
        const query = knex(`${counters.name} as g`)
          .leftJoin(`${counters.name} as l`, join => join.on('l.name', knex.raw('?', ['content_version'])))
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
          .where('g.name', 'schema_version')
          .select([
            ...Object.keys(space.routes.columns).map(name =>
              name === space.routes.key
                ? knex.raw('coalesce(r.route_id, a.route_id) as page_route')
                : `r.${name}`,
            ),
            knex.raw(`${either('c.content_data_id', 'a.root_id')} as root_id`),
            knex.raw(`${either(version('cp', 'ct'), 'a.version')} as page_version`),
            knex.raw(`${either(waiting('cp'), 'a.waiting')} as waiting`),
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
