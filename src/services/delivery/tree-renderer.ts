import type { Database } from '../../db/database.js'
import type { PageFound } from '../../db/queries/page.js'
import type { PageVersion } from '../../db/queries/page-version.js'
import {
  type Book,
  type LeanEntry,
  type LeanValue,
  leanTrees,
  type TreeQueries,
  wholeTrees,
} from '../../db/queries/trees.js'
import { type ContentSpace, internalTables } from '../../db/tables.js'
import { notFound } from '../../errors.js'
import { onDemand } from '../../on-demand.js'
import type { Log } from '../../ports.js'
import { Turns } from '../../turns.js'
import { mayShow } from '../content/visibility.js'
import { shownMedia, storedMedia } from '../media/record.js'
import { type Audience, bookOf, type PageAudience } from './audience.js'
import type { Schema, Schemas } from './content-model.js'
import { refusePaths } from './expand.js'
import type { PageContext } from './format-context.js'
import type { Format, LaterFormat, Write, WriteRich } from './formats/format.js'
import type { GlobalsRequest, PageRequest } from './page-request.js'
import { linkTree } from './relations.js'
import { richValues } from './rich-values.js'
import { shownRoute, storedRoute } from './shown-route.js'
import { markSources } from './source-marks.js'
import {
  buildTrees,
  bySiblingOrder,
  type ContentTree,
  type Damage,
  type LinkedEntries,
  type Node,
  refuseDamage,
} from './tree.js'
import { TreeRowReader, type TreeRows } from './tree-rows.js'

interface RenderedTree {
  readonly text: string
  readonly linked: boolean
  /** The public address of the page, if it is known. */
  readonly url: string | undefined
}

/** Reads trees and writes them in one format. */
export interface Renderer {
  /**
   * @returns undefined when the page has another version by now
   * @throws 404 when the audience sees nothing of it; 409 when the working tree is damaged
   */
  page(page: PageFound, version: PageVersion, request: PageRequest): Promise<RenderedTree | undefined>
  /**
   * The trees without a route, as a JSON array.
   * @throws 404 when the datatype that was asked for has no trees
   */
  globals(request: GlobalsRequest): Promise<string>
}

interface RendererParts {
  readonly db: Database
  readonly space: ContentSpace
  readonly schemas: Schemas
  readonly context: PageContext
  readonly log: Log
}

/** A renderer that reads no more of the rows than the format shows. */
export const treeRenderer = (parts: RendererParts, format: Format): Renderer =>
  format.reads === 'later' ? laterRenderer(parts, format) : rendererOf(parts, format)

function laterRenderer(parts: RendererParts, { load, join }: LaterFormat): Renderer {
  const made = onDemand(async () => rendererOf(parts, await load(), join))
  return {
    page: async (...given) => (await made()).page(...given),
    globals: async request => (await made()).globals(request),
  }
}

const jsonList = (texts: readonly string[]): string => `[${texts.join(',')}]`

const rendererOf = (parts: RendererParts, format: Exclude<Format, LaterFormat>, join = jsonList): Renderer =>
  format.reads === 'lean'
    ? new TreeRenderer(parts, book => leanTrees(parts.space, book), format.write, { showsMedia: false, join })
    : new TreeRenderer(parts, book => wholeTrees(parts.space, book), format.write, {
        showsMedia: true,
        writeRich: format.writeRich,
        join,
      })

const noLinks: LinkedEntries = new Map()

const filterFor =
  (audience: PageAudience) =>
  ({ datatype }: Node<LeanEntry, LeanValue>): boolean =>
    mayShow(datatype, audience)

/** A link to one page shows no draft of another. */
const audienceOfOthers = (audience: PageAudience): Audience => (audience === 'working' ? 'working' : 'public')

class TreeRenderer<E extends LeanEntry, V extends LeanValue> implements Renderer {
  private readonly rows: Readonly<Record<Book, TreeRowReader<E, V>>>

  constructor(
    private readonly parts: RendererParts,
    queries: (book: Book) => TreeQueries<E, V>,
    private readonly write: Write<ContentTree<E, V>>,
    private readonly shows: {
      showsMedia: boolean
      writeRich?: WriteRich | undefined
      join: (texts: readonly string[]) => string
    },
  ) {
    const rowsOf = (book: Book) => new TreeRowReader(parts.db, queries(book))
    this.rows = { public: rowsOf('public'), working: rowsOf('working') }
  }

  async page(page: PageFound, version: PageVersion, request: PageRequest): Promise<RenderedTree | undefined> {
    const { audience } = request
    const schema = await this.parts.schemas.at(version.schema_version)
    const { slugLocale } = page
    // A page has no address in a locale that is not enabled.
    if (slugLocale !== null && !this.parts.context.isPublic(schema, slugLocale)) throw notFound()
    const locale = request.locale || (slugLocale ?? '')
    refusePaths(schema, request.expand)
    const rows = await this.rows[bookOf(audience)].ofPage(page.routeId, version)
    if (!rows) return undefined
    const turns = new Turns()
    const { roots, damage } = await turns.run(this.build(rows, schema, audience))
    this.judge(damage, version, audience)
    const root = roots.find(({ entry }) => entry.content_data_id === version.root_id)
    if (!root) throw notFound()
    return this.render(schema, page.route(), root, { ...request, locale })
  }

  async globals(request: GlobalsRequest): Promise<string> {
    const { audience, datatype: name, locale, expand } = request
    const version = (await this.parts.db.get(internalTables.counters, 'schema_version'))?.value ?? 0
    const schema = await this.parts.schemas.at(version)
    const roots = await this.globalRoots(schema, audience)
    const wanted = roots.filter(({ datatype }) => name === undefined || datatype.name === name)
    if (name !== undefined && wanted.length === 0) throw notFound()
    // A wrong locale is refused also where there is nothing to write.
    this.parts.context.refuseLocale(schema, locale)
    refusePaths(schema, expand)
    const bodies: string[] = []
    for (const root of wanted) bodies.push((await this.render(schema, undefined, root, request)).text)
    return this.shows.join(bodies)
  }

  private async globalRoots(schema: Schema, audience: Audience): Promise<Node<E, V>[]> {
    const turns = new Turns()
    const rows = await this.rows[bookOf(audience)].withoutRoute()
    const { roots, damage } = await turns.run(this.build(rows, schema, audience))
    refuseDamage(damage)
    return roots.sort(bySiblingOrder)
  }

  private build({ entries, values }: TreeRows<E, V>, schema: Schema, audience: PageAudience) {
    const isSeen = ({ locale }: V) => audience !== 'public' || this.parts.context.isPublic(schema, locale)
    return buildTrees(entries, values.filter(isSeen), schema, filterFor(audience))
  }

  /** The public sees what is left of a damaged tree; a reader of the working state gets an error. */
  private judge(damage: Damage, { root_id }: PageVersion, audience: PageAudience): void {
    if (audience !== 'public') refuseDamage(damage)
    else if (damage.circular.length + damage.orphans.length > 0)
      this.parts.log.error({ root_id, ...damage }, 'a damaged part of a published tree was left out')
  }

  private async render(
    schema: Schema,
    route: ContentTree['route'],
    root: Node<E, V>,
    {
      audience,
      locale,
      expand,
      sourcemaps = false,
    }: Pick<PageRequest, 'audience' | 'locale' | 'expand'> & Partial<Pick<PageRequest, 'sourcemaps'>>,
  ): Promise<RenderedTree> {
    const { db, space, context, log } = this.parts
    const links =
      schema.hasRelations &&
      (await linkTree({ read: db, space, schema, audience: audienceOfOthers(audience), expand }, root))
    const linked = links ? links.linked : noLinks
    const { showsMedia, writeRich } = this.shows
    const isSeen = (code: string) => audience !== 'public' || context.isPublic(schema, code)
    const found = await context.of(schema, locale, { root, linked, showsMedia })
    const shownWith = {
      ...found,
      media: shownMedia(found.media, found.chain),
      stored: { route: storedRoute(route, isSeen), media: () => storedMedia(found.media, isSeen) },
    }
    const shown = links ? links.root : root
    if (sourcemaps) markSources(shown, shownWith.origin)
    const rich =
      writeRich && schema.hasRichText ? await richValues(shown, shownWith, writeRich, log) : undefined
    const named = shownRoute(route, shownWith.chain)
    const url = named && shownWith.origin && shownWith.origin + encodeURI(named.slug)
    const written = this.write(
      { route: named, root: shown },
      { ...shownWith, ...(rich ? { rich } : {}), ...(expand.length > 0 ? { expand } : {}) },
    )
    return { text: await new Turns().run(written), linked: Boolean(links), url: url || undefined }
  }
}
