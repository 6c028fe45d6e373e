import type { Reader } from '../../db/reader.js'
import type { ContentSpace, EntryRow, RouteRow } from '../../db/tables.js'
import type { RecordChange, Touched } from '../../db/touched.js'

/** The state before a transaction, or the one that it leaves. */
export type Side = 'before' | 'after'

const sides: readonly Side[] = ['before', 'after']

/** The sides on which a record exists. */
export const sidesOf = (change: RecordChange): Side[] => sides.filter(side => change[side] !== undefined)

/** Entries and routes of one space, as they were before a transaction and as it leaves them. */
export class LimitedSpace {
  private readonly entries = new Map<string, EntryRow | undefined>()
  private readonly routes = new Map<string, RouteRow | undefined>()
  private readonly pages = new Map<string, EntryRow>()
  private readonly changedPages: Record<Side, Map<string, EntryRow>> = { before: new Map(), after: new Map() }

  constructor(
    readonly read: Reader,
    readonly touched: Touched,
    readonly space: ContentSpace,
  ) {
    for (const change of touched.recordsIn(space.contentData))
      for (const side of sides) {
        const row = change[side] as EntryRow | undefined
        if (row?.route_id) this.changedPages[side].set(row.route_id, row)
      }
  }

  /** Reads what is asked about below: entries with everything above them and their routes, and pages of routes. */
  async load(ids: Iterable<string>, routeIds: readonly string[]): Promise<void> {
    const { contentData, routes } = this.space
    for (const page of await this.read.findIn(contentData, 'route_id', [...new Set(routeIds)]))
      if (page.route_id !== null) this.pages.set(page.route_id, page)
    const pages = [...this.pages.values()].map(page => page.content_data_id)
    for (let next = new Set([...ids, ...pages]); next.size > 0; ) {
      const some = [...next].filter(id => !this.entries.has(id))
      for (const id of some) this.entries.set(id, undefined)
      const unchanged = some.filter(id => !this.touched.recordOf(contentData, id))
      for (const row of await this.read.findIn(contentData, 'content_data_id', unchanged))
        this.entries.set(row.content_data_id, row)
      next = new Set(some.flatMap(id => sides.flatMap(side => this.entry(side, id)?.parent_id ?? [])))
    }
    const wanted = [...this.entries.keys()].flatMap(id =>
      sides.flatMap(side => this.entry(side, id)?.route_id ?? []),
    )
    await this.loadRoutes(wanted, routes)
  }

  async loadRoutes(ids: readonly string[], routes = this.space.routes): Promise<void> {
    const some = [...new Set(ids)].filter(id => !this.routes.has(id) && !this.touched.recordOf(routes, id))
    for (const row of await this.read.findIn(routes, 'route_id', some)) this.routes.set(row.route_id, row)
  }

  entry(side: Side, id: string): EntryRow | undefined {
    const change = this.touched.recordOf(this.space.contentData, id)
    return change ? (change[side] as EntryRow | undefined) : this.entries.get(id)
  }

  route(side: Side, id: string): RouteRow | undefined {
    const change = this.touched.recordOf(this.space.routes, id)
    return change ? (change[side] as RouteRow | undefined) : this.routes.get(id)
  }

  /** The entry on a route. */
  page(side: Side, routeId: string): EntryRow | undefined {
    const page = this.pages.get(routeId)
    const unchanged = page && !this.touched.recordOf(this.space.contentData, page.content_data_id)
    return this.changedPages[side].get(routeId) ?? (unchanged ? page : undefined)
  }
}
