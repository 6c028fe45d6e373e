import type { Database } from '../../db/database.js'
import { type PageFound, pageFound } from '../../db/queries/page.js'
import { isCurrent, type PageVersion } from '../../db/queries/page-version.js'
import type { ContentSpace } from '../../db/tables.js'
import { notFound, unavailable } from '../../errors.js'
import type { PageCounts } from '../../metrics.js'
import type { Hashing, Log } from '../../ports.js'
import { pageKeys, surrogateKeys } from '../content/surrogate-keys.js'
import { type Answers, bookTag, type Kept, treeTag } from './answers.js'
import { bookOf } from './audience.js'
import type { Schema, Schemas } from './content-model.js'
import { type ContextSettings, languageKey, type PageContext } from './format-context.js'
import { type FormatName, formats } from './formats/index.js'
import { type GlobalsRequest, type PageRequest, pageRequest } from './page-request.js'
import { bodyOf, type RenderedPage } from './rendered-page.js'
import { type Renderer, treeRenderer } from './tree-renderer.js'

export interface PageService {
  /** The page when it is in memory and known to be current. */
  inMemory(request: PageRequest): RenderedPage | undefined
  /**
   * The rendered page of a slug. No statement when it is in memory, one when it is there and must be checked, three at
   * most.
   * @throws 404 without such a route or content; 409 when the working tree is damaged
   */
  page(request: PageRequest): Promise<RenderedPage>
  /**
   * `page` for the public. While the database does not answer: the page as it was last known, for some minutes. It is
   * never older than a change that this instance has made or seen.
   * @throws as `page`; 503 without a page that may be given
   */
  lastingPage(request: PageRequest): Promise<RenderedPage>
  /** Builds the page from the current rows, past the cache, to show what was damaged from outside. @throws as `page` */
  built(request: PageRequest): Promise<RenderedPage>
  /**
   * The trees that hang on no route, as a JSON array of their bodies.
   * @throws 404 when the datatype has no trees
   */
  globals(request: GlobalsRequest): Promise<RenderedPage>
  /** Returns the request for the raw working tree of a route. @throws 404 without such a route */
  treeRequest(routeId: string): Promise<PageRequest>
}

/**
 * Answers each request by one of several services.
 * @param trees the service that looks up the working trees of routes
 */
export const pagesBy = (
  of: (request: Pick<PageRequest, 'audience'>) => PageService,
  trees: PageService,
): PageService => ({
  inMemory: request => of(request).inMemory(request),
  page: request => of(request).page(request),
  lastingPage: request => of(request).lastingPage(request),
  built: request => of(request).built(request),
  globals: request => of(request).globals(request),
  treeRequest: routeId => trees.treeRequest(routeId),
})

export interface PageSettings extends ContextSettings {
  hashing: Hashing
  log: Log
  answers: Answers
  counts: PageCounts
}

const maxAttempts = 10
/** Pages are given for this long after the database has last answered, in seconds. */
const lastingSeconds = 600

interface KeptPage extends RenderedPage {
  readonly version: PageVersion
  readonly language: string
  /** The `externalChanges` under which it was last known to be current. */
  externalVersion: number
}

type Rendering = Omit<RenderedPage, 'tags'> & { readonly version: PageVersion }

class Pages implements PageService {
  private readonly kept: Kept<KeptPage>
  private readonly renderers: ReadonlyMap<string, Renderer>
  private readonly found
  private commits = 0
  private confirmed: { schema: Schema; externalVersion: number } | undefined

  constructor(
    private readonly db: Database,
    private readonly space: ContentSpace,
    private readonly schemas: Schemas,
    private readonly context: PageContext,
    private readonly settings: PageSettings,
  ) {
    const { log, answers } = settings
    const parts = { db, space, log, schemas, context }
    // Its keys begin with the audience.
    this.kept = answers.of('')
    this.renderers = new Map([...formats].map(([name, format]) => [name, treeRenderer(parts, format)]))
    this.found = { public: pageFound(space, 'public'), working: pageFound(space, 'working') }
    const committed = ({ allPages }: { allPages: boolean }) => {
      this.commits++
      if (allPages) this.confirmed = undefined
    }
    db.onCommit(committed)
    db.foreign.onCommits(committed)
  }

  inMemory({ key }: PageRequest): RenderedPage | undefined {
    const entry = this.known(key)
    if (entry?.externalVersion !== this.db.externalChanges() || this.db.outage.isOn) return undefined
    this.settings.counts.memory++
    return entry
  }

  async page(request: PageRequest): Promise<RenderedPage> {
    const ready = this.inMemory(request)
    if (ready) return ready
    return untilUnchanged(async () => {
      const shown = this.shownNow(request)
      return this.inMemory(shown) ?? this.read(shown, request)
    })
  }

  lastingPage(request: PageRequest): Promise<RenderedPage> {
    return this.db.outage.outlived(
      () => this.page(request),
      () => this.lastKnown(request),
    )
  }

  built(request: PageRequest): Promise<RenderedPage> {
    return untilUnchanged(async () => {
      const [page] = await this.find(request)
      if (!page?.present) throw notFound()
      const tree = await this.rendererOf(request.format).page(page, page.present, request)
      return tree && { ...bodyOf(this.settings.hashing, tree.text), tags: '', url: tree.url }
    })
  }

  async globals(request: GlobalsRequest): Promise<RenderedPage> {
    const text = await this.rendererOf(request.format).globals(request)
    return { ...bodyOf(this.settings.hashing, text), tags: `globals ${surrogateKeys.content}` }
  }

  async treeRequest(routeId: string): Promise<PageRequest> {
    const route = await this.db.get(this.space.routes, routeId)
    if (!route) throw notFound()
    return pageRequest({ slug: route.slug, format: 'raw', audience: 'working', locale: '' })
  }

  /**
   * @param asked what `request` is the shown locale of, as far as that was known
   * @returns undefined when the page was changed while it was read
   */
  private async read(request: PageRequest, asked: PageRequest): Promise<RenderedPage | undefined> {
    const { key } = request
    const { counts } = this.settings
    const externalVersion = this.db.externalChanges()
    const cached = this.known(key)
    const commitsBefore = this.commits
    const language = languageKey(this.settings)
    const [page] = await this.find(request)
    const present = page?.present
    if (!present) {
      this.kept.delete(key)
      throw notFound()
    }
    if (asked.locale !== '') {
      const schema = await this.schemas.at(present.schema_version)
      if (this.commits === commitsBefore) this.confirmed = { schema, externalVersion }
      const shown = this.shownIn(schema, asked)
      if (shown.key !== key) return this.read(shown, asked)
    }
    if (cached && isCurrent(cached.version, present)) {
      cached.externalVersion = externalVersion
      counts.memory++
      return cached
    }
    this.kept.delete(key)
    const rendering = await this.render(page, present, request)
    if (!rendering) return undefined
    counts.built++
    const { version, body } = rendering
    const book = bookOf(request.audience)
    const isLinked = version.content_version !== null
    const tags = pageKeys(page.routeId, version.root_id)
    const shown = { ...rendering, tags, isLinked, language, externalVersion }
    const dependencies = [treeTag(book, version.root_id), ...(isLinked ? [bookTag(book)] : [])]
    // A page that was read before a commit, or a change of the setting, may be older than it.
    const isNewest = this.commits === commitsBefore && languageKey(this.settings) === language
    if (isNewest) this.kept.set(key, shown, body.length, dependencies)
    return shown
  }

  private known(key: string): KeptPage | undefined {
    const entry = this.kept.get(key)
    return entry?.language === languageKey(this.settings) ? entry : undefined
  }

  private lastKnown(asked: PageRequest): RenderedPage | undefined {
    const ageSeconds = this.db.foreign.secondsBehind()
    if (asked.audience !== 'public' || ageSeconds === undefined || ageSeconds > lastingSeconds)
      return undefined
    const { confirmed } = this
    const { key } = asked.locale !== '' && confirmed ? this.shownIn(confirmed.schema, asked) : asked
    const entry = this.known(key)
    return entry && { ...entry, ageSeconds }
  }

  private shownNow(asked: PageRequest): PageRequest {
    const { confirmed } = this
    const isCertain = confirmed?.externalVersion === this.db.externalChanges()
    return asked.locale !== '' && confirmed && isCertain ? this.shownIn(confirmed.schema, asked) : asked
  }

  /** The request for the locale that is shown, so that language tags without a locale do not fill the cache. */
  private shownIn(schema: Schema, request: PageRequest): PageRequest {
    const locale = this.context.shownLocale(schema, request.locale)
    return locale === request.locale ? request : pageRequest({ ...request, locale })
  }

  private find({ slug, audience }: PageRequest): Promise<PageFound[]> {
    return this.db.query(this.found[bookOf(audience)], { slug })
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
    const { url } = tree
    const version = tree.linked ? present : { ...present, content_version: null }
    return { body, etag, version, url }
  }

  private rendererOf(name: FormatName): Renderer {
    const renderer = this.renderers.get(name)
    if (!renderer) throw notFound()
    return renderer
  }
}

/** @param read gives undefined when the page was changed meanwhile */
async function untilUnchanged<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const found = await read()
    if (found) return found
  }
  throw unavailable('the page is being changed, try again')
}

export const pages = (
  db: Database,
  space: ContentSpace,
  schemas: Schemas,
  context: PageContext,
  settings: PageSettings,
): PageService => new Pages(db, space, schemas, context, settings)
