import type { Database } from '../../db/database.js'
import { publishedPagesInPieces } from '../../db/queries/published-pages.js'
import { tables } from '../../db/tables.js'
import { slugsOf } from '../../services/content/route-translations.js'
import { ChangeLog } from '../../services/delivery/changes/change-log.js'
import { missedChanges } from '../../services/delivery/changes/missed-changes.js'
import type { Services } from '../../services/index.js'
import type { Entry } from '../../twin/layout.js'
import type { Site, Twin } from './twin.js'

const piece = 500

interface Following {
  readonly db: Database
  readonly services: Pick<Services, 'configuration' | 'redirects'>
  readonly twin: Twin
  /** The site under its present configuration. */
  site(): Promise<Site>
}

/** The redirects by their slugs, each as one text. */
async function redirectsNow({ redirects }: Following['services']): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for await (const rows of redirects.list({}, {}))
    for (const row of rows) found.set(row.slug, JSON.stringify(row))
  return found
}

/** Keeps a twin as the site is. */
export class Follower {
  readonly #changes: ChangeLog
  #seen: number | undefined
  #redirects: ReadonlyMap<string, string>

  constructor(private readonly parts: Following) {
    this.#changes = new ChangeLog(parts.db)
    // Those that an earlier process has written are read again.
    const known = slugsWhere(parts.twin, ({ target }) => target !== undefined)
    this.#redirects = new Map(known.map(slug => [slug, '']))
  }

  /**
   * Writes what has changed since the last time, if anything has.
   * @returns whether it has written
   * @throws when the site or the store does not answer; the next call tries again
   */
  async follow(): Promise<boolean> {
    const { db, services } = this.parts
    const external = await db.externalChangesNow()
    if (external === this.#seen) return false
    await services.configuration.follow()
    const isWritten = await this.#write()
    this.#seen = external
    return isWritten
  }

  async #write(): Promise<boolean> {
    const { services, twin } = this.parts
    const site = await this.parts.site()
    const newest = await this.#changes.newest()
    const redirects = await redirectsNow(services)
    const roots = await this.#changedRoots(site, newest)
    if (roots === 'all') {
      await twin.write(site, newest, await this.#everySlug(redirects), true)
    } else {
      const altered = alteredKeys(this.#redirects, redirects)
      if (roots.size === 0 && altered.length === 0) return false
      const { change = 0 } = twin.root ?? {}
      // Pages that were changed themselves are first: those that show them may be many.
      const direct = [
        ...(await this.#slugsOfRoots(roots)),
        ...altered,
        ...(roots.size > 0 ? redirects.keys() : []),
      ]
      const linked = roots.size > 0 ? slugsWhere(twin, ({ isLinked }) => isLinked === true) : []
      const others = linked.filter(slug => !direct.includes(slug))
      await twin.write(site, others.length > 0 ? change : newest, direct)
      if (others.length > 0) await twin.write(site, newest, others)
    }
    this.#redirects = redirects
    return true
  }

  /** The root entries of pages that the public sees otherwise than the twin has them. */
  async #changedRoots(site: Site, newest: number): Promise<ReadonlySet<string> | 'all'> {
    const { root } = this.parts.twin
    if (!root || root.service !== site.service) return 'all'
    const missed = await missedChanges(this.#changes, root.change, newest)
    if (missed === 'too many' || missed.some(({ all }) => all)) return 'all'
    const pages = missed.flatMap(({ pages }) => pages.filter(({ isPublic }) => isPublic))
    return new Set(pages.map(({ content_data_id }) => content_data_id))
  }

  async #everySlug(redirects: ReadonlyMap<string, string>): Promise<string[]> {
    const slugs: string[] = [...redirects.keys()]
    const range = { after: '', until: undefined }
    const lengths = { piece, most: Number.POSITIVE_INFINITY }
    for await (const pages of publishedPagesInPieces(this.parts.db, tables, range, lengths))
      slugs.push(...pages.flatMap(slugsOf))
    return slugs
  }

  /** The addresses of pages, now and as the twin has them. */
  async #slugsOfRoots(roots: ReadonlySet<string>): Promise<string[]> {
    const { db, twin } = this.parts
    const entries = await db.findIn(tables.publicEntries, 'content_data_id', [...roots])
    const routeIds = entries.flatMap(({ route_id }) => (route_id === null ? [] : [route_id]))
    const routes = await db.findIn(tables.routes, 'route_id', routeIds)
    return [
      ...routes.flatMap(slugsOf),
      ...slugsWhere(twin, ({ page }) => page !== undefined && roots.has(page)),
    ]
  }
}

const slugsWhere = ({ entries }: Twin, fits: (entry: Entry) => boolean): string[] =>
  [...entries].flatMap(([slug, entry]) => (fits(entry) ? [slug] : []))

const alteredKeys = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter(key => before.get(key) !== after.get(key))
