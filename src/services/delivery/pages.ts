import type { Database } from '../../db/database.js'
import { type PageFound, pageFound } from '../../db/queries/page.js'
import { isCurrent, type PageVersion } from '../../db/queries/page-version.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Commit } from '../../db/writer.js'
import { notFound, unavailable } from '../../errors.js'
import type { Hashing, Log } from '../../ports.js'
import { schemas } from './content-model.js'
import { type ContextSettings, pageContext } from './format-context.js'
import { type FormatName, formats } from './formats/index.js'
import { type CacheEntry, PageCache } from './page-cache.js'
import { type GlobalsRequest, type PageRequest, pageRequest } from './page-request.js'
import { PageStore } from './page-store.js'
import { bodyOf, type RenderedPage } from './rendered-page.js'
import { type Renderer, treeRenderer } from './tree-renderer.js'

export interface PageService {
  /** The page when it is in memory and known to be current. */
  inMemory(request: PageRequest): RenderedPage | undefined
  /**
   * The rendered page of a slug. No statement when it is in memory, one when the database has it rendered, three at
   * most.
   * @throws 404 without such a route or content; 409 when the working tree is damaged
   */
  page(request: PageRequest): Promise<RenderedPage>
  /**
   * The trees that hang on no route, as a JSON array of their bodies.
   * @throws 404 when there is none of the datatype
   */
  globals(request: GlobalsRequest): Promise<RenderedPage>
  /** What asks for the working tree of a route, raw. @throws 404 without such a route */
  treeRequest(routeId: string): Promise<PageRequest>
  /** Writes rendered pages that wait to be stored in the database. */
  settle(): Promise<void>
}

export interface PageSettings extends ContextSettings {
  hashing: Hashing
  log: Log
  /** Memory for rendered pages. */
  cacheBytes: number
  /** Whether the database stores rendered pages too; it does so for the public space's routes. */
  stored: boolean
}

/** Counted up whenever a format writes something else, so that no stored page of an older version is served. */
const formatRevision = 4
/** How often a page is read again when it was changed meanwhile. */
const maxAttempts = 10
/** What an entry of the cache costs beside its body. */
const entryOverheadBytes = 500

/** Pages name addresses and have a locale, so those that were stored under other settings are not served. */
function rendererVersionOf({ hashing, origin, mediaUrl, languages }: PageSettings): string {
  const { enabled, fallback } = languages()
  const settings = origin + mediaUrl('') + (enabled ? ` ${fallback}` : '')
  return settings === '' ? `${formatRevision}` : `${formatRevision}-${hashing.sha256(settings).slice(0, 8)}`
}

type Rendering = Omit<RenderedPage, 'tags'> & { readonly version: PageVersion }

class Pages implements PageService {
  private readonly cache: PageCache
  private readonly store: PageStore
  private readonly renderers: ReadonlyMap<string, Renderer>
  private readonly rendererVersion: string
  private readonly found
  private commits = 0

  constructor(
    private readonly db: Database,
    private readonly space: ContentSpace,
    private readonly settings: PageSettings,
  ) {
    const { log, cacheBytes } = settings
    const parts = { db, space, log, schemas: schemas(db, space), context: pageContext(db, space, settings) }
    this.cache = new PageCache(cacheBytes)
    this.store = new PageStore(db, log)
    this.renderers = new Map([...formats].map(([name, format]) => [name, treeRenderer(parts, format)]))
    this.rendererVersion = rendererVersionOf(settings)
    this.found = { public: pageFound(space, 'public'), working: pageFound(space, 'working') }
    db.onCommit(commit => this.dropChanged(commit))
  }

  inMemory({ key }: PageRequest): RenderedPage | undefined {
    const entry = this.cache.get(key)
    return entry && entry.externalVersion === this.db.externalChanges() ? entry : undefined
  }

  async page(request: PageRequest): Promise<RenderedPage> {
    const ready = this.inMemory(request)
    if (ready) return ready
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const page = await this.read(request)
      if (page) return page
    }
    throw unavailable('the page is being changed, try again')
  }

  async globals(request: GlobalsRequest): Promise<RenderedPage> {
    const text = await this.rendererOf(request.format).globals(request)
    return { ...bodyOf(this.settings.hashing, text), tags: 'globals' }
  }

  async treeRequest(routeId: string): Promise<PageRequest> {
    const route = await this.db.get(this.space.routes, routeId)
    if (!route) throw notFound()
    return pageRequest({ slug: route.slug, format: 'raw', audience: 'working', locale: '' })
  }

  settle(): Promise<void> {
    return this.store.settle()
  }

  private dropChanged({ allPages, trees }: Commit): void {
    this.commits++
    if (allPages) this.cache.dropAll()
    else if (trees.size > 0) {
      for (const root of trees) this.cache.dropTree(root)
      this.cache.dropLinked()
    }
  }

  /** @returns undefined when the page was changed while it was read */
  private async read(request: PageRequest): Promise<RenderedPage | undefined> {
    const { audience, key } = request
    const externalVersion = this.db.externalChanges()
    const cached = this.cache.get(key)
    const commitsBefore = this.commits
    const [page] = await this.find(request)
    const present = page?.present
    if (!present || (audience === 'public' && !page.stored && page.rootStatus !== 'published'))
      throw notFound()
    if (cached && isCurrent(cached, present)) {
      cached.externalVersion = externalVersion
      return cached
    }
    const built = page.stored ? undefined : await this.render(page, present, request)
    const rendering = page.stored ?? built
    if (!rendering) return undefined
    const entry = cacheEntry(page.routeId, rendering, built?.version ?? present, externalVersion)
    // What was read before a commit may be older than it.
    if (this.commits === commitsBefore) this.cache.set(key, entry)
    return entry
  }

  /** What the database knows of the page, with its rendering where a current one is stored. */
  private find({ slug, audience, key }: PageRequest): Promise<PageFound[]> {
    const storedKey = this.settings.stored ? key : ''
    return this.db.query(this.found[audience], { key: storedKey, renderer: this.rendererVersion, slug })
  }

  /** @returns undefined when the page was changed while it was read */
  private async render(
    page: PageFound,
    present: PageVersion,
    request: PageRequest,
  ): Promise<Rendering | undefined> {
    const tree = await this.rendererOf(request.format).page(page, present, request)
    if (!tree) return undefined
    const { body, etag } = bodyOf(this.settings.hashing, tree.text)
    const version = tree.linked ? present : { ...present, content_version: null }
    if (this.settings.stored)
      this.store.save({
        page_key: request.key,
        renderer_version: this.rendererVersion,
        route_id: page.routeId,
        ...version,
        etag,
        body,
      })
    return { body, etag, version }
  }

  private rendererOf(name: FormatName): Renderer {
    const renderer = this.renderers.get(name)
    if (!renderer) throw notFound()
    return renderer
  }
}

function cacheEntry(
  routeId: string,
  { body, etag }: Omit<RenderedPage, 'tags'>,
  { root_id, version, pending, schema_version, content_version }: PageVersion,
  externalVersion: number,
): CacheEntry {
  return {
    body,
    etag,
    tags: `${routeId} ${root_id}`,
    root_id,
    version,
    pending,
    schema_version,
    content_version,
    externalVersion,
    bytes: body.length + entryOverheadBytes,
    used: false,
  }
}

export const pages = (db: Database, space: ContentSpace, settings: PageSettings): PageService =>
  new Pages(db, space, settings)
