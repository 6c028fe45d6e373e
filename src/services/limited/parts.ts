import type { RowOf } from '../../db/columns.js'
import { type ContentSpace, type EntryRow, type RouteRow, tables } from '../../db/tables.js'
import { isUnder } from '../../event-filter.js'
import type { RoleLimits } from '../../role-limits.js'
import { slugsOf } from '../content/route-translations.js'
import type { LimitedSpace, Side } from './space.js'

/** The members of limits. */
export type Part = Exclude<keyof RoleLimits, 'reads'>
/** The members that an entry is inside of when the entry or one above it is. */
export type EntryPart = Exclude<Part, 'locales'>

/** Whoever makes a change, with the limits of their role or key. */
export interface Limited {
  readonly userId: string | null
  readonly limits: RoleLimits
}

export type Trashed = RowOf<ContentSpace['trash']>

/** Answers what is inside of limits, in one content space. */
export class LimitedParts {
  private readonly known = new Map<string, Map<string, boolean>>()
  private readonly datatypes: ReadonlySet<string>
  private readonly locales: ReadonlySet<string>
  private zone: readonly string[] = []

  constructor(
    readonly rows: LimitedSpace,
    readonly by: Limited,
  ) {
    this.datatypes = new Set(by.limits.datatypes)
    this.locales = new Set(by.limits.locales)
  }

  /** The members that are there, without that of locales. */
  get entryParts(): EntryPart[] {
    const { datatypes, routes, own } = this.by.limits
    return [
      ...(datatypes ? (['datatypes'] as const) : []),
      ...(routes ? (['routes'] as const) : []),
      ...(own ? (['own'] as const) : []),
    ]
  }

  /**
   * Reads the addresses that may be changed. They are those from before the transaction, so that nobody extends
   * them with the change itself.
   */
  async loadZone(): Promise<void> {
    const { routes } = this.by.limits
    if (!routes || this.rows.space.routes.name !== tables.routes.name) return
    await this.rows.loadRoutes(routes)
    this.zone = routes.flatMap(id => {
      const route = this.rows.route('before', id)
      return route ? slugsOf(route) : []
    })
  }

  hasSlug(slug: string): boolean {
    return this.zone.some(one => isUnder(slug, one))
  }

  hasDatatype(id: string): boolean {
    return this.datatypes.has(id)
  }

  hasLocale(code: string): boolean {
    return !this.by.limits.locales || this.locales.has(code)
  }

  isOwn(userId: string | null): boolean {
    return userId !== null && userId === this.by.userId
  }

  /** Whether the entry, or one above it, is inside. */
  hasEntry(part: EntryPart, side: Side, id: string): boolean {
    const name = `${part} ${side}`
    const known = this.known.get(name) ?? new Map<string, boolean>()
    this.known.set(name, known)
    const passed: string[] = []
    let found = false
    for (let at: string | null = id; at !== null; ) {
      const answer = known.get(at)
      if (answer !== undefined) {
        found = answer
        break
      }
      // An entry that is its own ancestor ends the walk.
      known.set(at, false)
      passed.push(at)
      const row: EntryRow | undefined = this.rows.entry(side, at)
      if (!row) break
      found = this.isInside(part, side, row)
      if (found) break
      at = row.parent_id
    }
    for (const one of passed) known.set(one, found)
    return found
  }

  /** Whether a new entry of the caller would be inside. @param parent null for a page, whose address is not known */
  hasNew(part: EntryPart, datatypeId: string, parent: string | null): boolean {
    if (part === 'own') return this.by.userId !== null
    if (part === 'datatypes' && this.hasDatatype(datatypeId)) return true
    return parent === null ? part === 'routes' : this.hasEntry(part, 'before', parent)
  }

  private isInside(part: EntryPart, side: Side, row: EntryRow): boolean {
    if (part === 'datatypes') return this.hasDatatype(row.datatype_id)
    if (part === 'own') return this.isOwn(row.author_id)
    const route = row.parent_id === null && row.route_id !== null && this.rows.route(side, row.route_id)
    return route ? this.hasSlug(route.slug) : false
  }

  /** Whether an entry in the trash is inside, by itself or by what it was under. @param owner whose it counts as */
  hasTrashed(row: Trashed, owner: string | null): boolean {
    return !this.by.limits.locales && this.entryParts.every(part => this.hasTrashedIn(part, row, owner))
  }

  hasTrashedIn(part: EntryPart, row: Trashed, owner: string | null): boolean {
    const { datatype_id, parent_id, slug } = row
    const isInside = {
      datatypes: () => this.hasDatatype(datatype_id),
      own: () => this.isOwn(owner),
      routes: () => slug !== null && this.hasSlug(slug),
    }
    return isInside[part]() || (parent_id !== null && this.hasEntry(part, 'before', parent_id))
  }

  /** Whether what a route is for is inside: its page, and without one the route itself. */
  hasRoute(part: EntryPart, side: Side, { route_id, slug, author_id }: RouteRow): boolean {
    if (part === 'routes') return this.hasSlug(slug)
    const page = this.rows.page(side, route_id)
    if (page) return this.hasEntry(part, side, page.content_data_id)
    return part === 'datatypes' || this.isOwn(author_id)
  }
}
