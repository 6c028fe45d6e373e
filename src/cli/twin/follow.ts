import { isDeepStrictEqual } from 'node:util'
import type { Database } from '../../db/database.js'
import { publishedPagesInPieces } from '../../db/queries/published-pages.js'
import { tables } from '../../db/tables.js'
import { pagesOfTrees, showing } from '../../services/content/affected-pages.js'
import { slugsOf } from '../../services/content/route-translations.js'
import { type Change, ChangeLog } from '../../services/delivery/changes/change-log.js'
import { missedChanges } from '../../services/delivery/changes/missed-changes.js'
import type { Services } from '../../services/index.js'
import type { Entry } from '../../twin/layout.js'
import type { Site, Twin } from './twin.js'

const piece = 500
/** So many pages that show what has changed are stored together with it. More of them would delay it. */
const mostTogether = 8
/** How long addresses are read again before they are stored, in milliseconds. */
const pieceMs = 1000

interface Following {
  readonly db: Database
  readonly services: Pick<Services, 'configuration' | 'redirects'>
  readonly twin: Twin
  /** The site under its present configuration. */
  site(): Promise<Site>
}

interface Redirects {
  /** Each as one text, by its slug. */
  readonly texts: ReadonlyMap<string, string>
  /** The slugs of those whose target is where a page is. */
  readonly toPages: readonly string[]
}

async function redirectsNow({ redirects }: Following['services']): Promise<Redirects> {
  const texts = new Map<string, string>()
  const toPages: string[] = []
  for await (const rows of redirects.list({}, {}))
    for (const row of rows) {
      texts.set(row.slug, JSON.stringify(row))
      if (row.route_id !== null) toPages.push(row.slug)
    }
  return { texts, toPages }
}

/** Keeps a twin as the site is. */
export class Follower {
  readonly #changes: ChangeLog
  #seen: number | undefined
  /** The last change whose own pages are in the twin. */
  #change: number | undefined
  /** Addresses whose responses may have changed too. They are read again in pieces, behind newer changes. */
  #waiting: ReadonlySet<string> = new Set()
  #redirects: ReadonlyMap<string, string>

  constructor(private readonly parts: Following) {
    this.#changes = new ChangeLog(parts.db)
    // Those that an earlier process has written are read again.
    const known = slugsWhere(parts.twin, ({ target }) => target !== undefined)
    this.#redirects = new Map(known.map(slug => [slug, '']))
  }

  /** Whether addresses are still to be read again that may have changed. */
  get isBehind(): boolean {
    return this.#waiting.size > 0
  }

  /**
   * Writes the changes since the last time, and a piece of the addresses that may have changed with them.
   * @throws when the site or the store does not answer; the next call tries again
   */
  async follow(): Promise<void> {
    const { db, services } = this.parts
    const external = await db.externalChangesNow()
    if (external !== this.#seen) {
      await services.configuration.follow()
      await this.#writeChanged()
      this.#seen = external
    }
    if (this.isBehind) await this.#writePiece()
  }

  async #writeChanged(): Promise<void> {
    const { services, twin } = this.parts
    const site = await this.parts.site()
    const newest = await this.#changes.newest()
    const redirects = await redirectsNow(services)
    const missed = await this.#missed(site, newest)
    if (missed === 'too many') {
      await twin.announce()
      await twin.write(site, {
        change: () => newest,
        slugs: await this.#everySlug(redirects.texts),
        isAll: true,
      })
      this.#waiting = new Set()
    } else {
      const altered = alteredKeys(this.#redirects, redirects.texts)
      const isModel = missed.some(({ all }) => all)
      const pages = missed.flatMap(({ pages }) => pages.filter(({ isPublic }) => isPublic))
      const roots = [...new Set(pages.map(({ content_data_id }) => content_data_id))]
      // Drafts alone: they are not counted among the missed changes again.
      if (!isModel && roots.length === 0 && altered.length === 0) {
        this.#change = newest
        return
      }
      const showing = new Set(roots.length > 0 ? await this.#slugsShowing(roots) : [])
      const together = showing.size <= mostTogether ? showing : []
      const slugs = new Set([...(await this.#slugsOfRoots(roots)), ...altered, ...together])
      const others = [
        ...showing,
        ...(roots.length > 0 ? redirects.toPages : []),
        ...(isModel ? await this.#everySlug(redirects.texts) : []),
      ]
      const waiting = this.#inOrder([...others, ...this.#waiting].filter(slug => !slugs.has(slug)))
      if (slugs.size > mostTogether) await twin.announce([...slugs, ...waiting])
      // A restart reads the changes after this one again, and so what waits for them.
      const change = waiting.size > 0 ? (twin.root?.change ?? 0) : newest
      await twin.write(site, { change: () => change, slugs, waiting: () => waiting })
      this.#waiting = waiting
    }
    this.#change = newest
    this.#redirects = redirects.texts
  }

  /** Reads addresses again until the site has changed or some time has passed, but at least one. */
  async #writePiece(): Promise<void> {
    const { db, twin } = this.parts
    const [waiting, seen, until] = [this.#waiting, this.#seen, performance.now() + pieceMs]
    const done = new Set<string>()
    async function* piece() {
      for (const slug of waiting) {
        const isOver = performance.now() > until || (await db.externalChangesNow()) !== seen
        if (isOver && done.size > 0) return
        yield slug
        done.add(slug)
      }
    }
    const change = () => (done.size === waiting.size ? this.#change : twin.root?.change) ?? 0
    const rest = () => [...waiting].filter(slug => !done.has(slug))
    const writing = { change, slugs: piece(), waiting: rest, withFiles: false }
    await twin.write(await this.parts.site(), writing)
    this.#waiting = new Set(rest())
  }

  /** Those of one shard together: until all of them are current, readers ask the origin for each. */
  #inOrder(slugs: readonly string[]): ReadonlySet<string> {
    const { twin } = this.parts
    return new Set([...slugs].sort((a, b) => twin.placeOf(a) - twin.placeOf(b)))
  }

  /** The changes since the last ones that are in the twin; `'too many'` if all must be read again at once. */
  async #missed(site: Site, newest: number): Promise<Change[] | 'too many'> {
    const { root } = this.parts.twin
    if (!root || root.service !== site.service) return 'too many'
    const { format, formats, locales } = root
    // In other languages there are other requests.
    if (!isDeepStrictEqual({ format, formats, locales }, site.languages)) return 'too many'
    return missedChanges(this.#changes, this.#change ?? root.change, newest)
  }

  async #everySlug(redirects: ReadonlyMap<string, string>): Promise<ReadonlySet<string>> {
    const slugs: string[] = [
      ...redirects.keys(),
      ...slugsWhere(this.parts.twin, (_, name) => name.startsWith('/')),
    ]
    const range = { after: '', until: undefined }
    const lengths = { piece, most: Number.POSITIVE_INFINITY }
    for await (const pages of publishedPagesInPieces(this.parts.db, tables, range, lengths))
      slugs.push(...pages.flatMap(slugsOf))
    return new Set(slugs)
  }

  /** The addresses of pages, now and as the twin has them. */
  async #slugsOfRoots(roots: readonly string[]): Promise<string[]> {
    const { db, twin } = this.parts
    const wanted = new Set(roots)
    const { slugs } = await pagesOfTrees(db, tables, roots)
    return [...slugs, ...slugsWhere(twin, ({ page }) => page !== undefined && wanted.has(page))]
  }

  /** The addresses of pages that show entries of trees through relations, now and as the twin has them. */
  async #slugsShowing(roots: readonly string[]): Promise<string[]> {
    const { db, twin } = this.parts
    const entries = await db.findIn(tables.publicEntries, 'root_id', roots)
    const ids = entries.map(({ content_data_id }) => content_data_id)
    const changed = new Set(roots)
    return [
      ...(await this.#slugsOfRoots(await showing(db, tables, [...new Set([...roots, ...ids])]))),
      ...slugsWhere(twin, ({ shows }) => shows?.some(root => changed.has(root)) === true),
    ]
  }
}

const slugsWhere = ({ entries }: Twin, fits: (entry: Entry, name: string) => boolean): string[] =>
  [...entries].flatMap(([name, entry]) => (fits(entry, name) ? [name] : []))

const alteredKeys = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter(key => before.get(key) !== after.get(key))
