import type { Database } from '../../db/database.js'
import { type MadeOf, type PageFound, pageFound } from '../../db/queries/page.js'
import {
  type LeanEntry,
  type LeanValue,
  leanTrees,
  type OfSnapshot,
  type TreeQueries,
  wholeTrees,
} from '../../db/queries/trees.js'
import { type ContentSpace, keptTables } from '../../db/tables.js'
import { notFound, unavailable } from '../../errors.js'
import type { Hashing, Log } from '../../ports.js'
import { readEntry } from '../content/snapshots.js'
import { schemas } from './content-model.js'
import { type ContextSettings, pageContext } from './format-context.js'
import type { Write } from './formats/format.js'
import { type FormatName, formats } from './formats/index.js'
import { type Answer, type Cached, pageMemory } from './page-cache.js'
import { pageKeeper } from './page-store.js'
import { type LinkedEntries, linkTree } from './relations.js'
import { buildTrees, bySiblingOrder, type ContentTree, refuseDamage } from './tree.js'

/** Who the answer is for: the public sees what is published, a reader of the API the working state. */
export type Audience = 'public' | 'working'

export interface PageRequest {
  readonly slug: string
  readonly format: FormatName
  readonly audience: Audience
  /** The locale that was asked for, `''` for the default. */
  readonly locale: string
  /** All of these in one: what its answer is found by. */
  readonly key: string
}

/** Asks for the trees that hang on no route, all or those of one datatype. */
export interface GlobalsRequest extends Pick<PageRequest, 'format' | 'audience' | 'locale'> {
  /** The name of the datatype. */
  readonly datatype: string | undefined
}

export function pageRequest(asked: Omit<PageRequest, 'key'>): PageRequest {
  const { slug, format, audience, locale } = asked
  return { slug, format, audience, locale, key: `${audience}/${format}/${locale}${slug}` }
}

export interface PageService {
  /** The answer when it is in memory and known to be good. */
  inMemory(request: PageRequest): Answer | undefined
  /**
   * The finished page of a slug. No statement when it is in memory, one when the database keeps the finished answer,
   * three at most.
   * @throws 404 without such a route or content; 409 when the working tree is damaged
   */
  page(request: PageRequest): Promise<Answer>
  /**
   * The trees that hang on no route, as a JSON array of their bodies.
   * @throws 404 when there is none of the datatype
   */
  globals(request: GlobalsRequest): Promise<Answer>
  /** What asks for the working tree of a route, raw. @throws 404 without such a route */
  treeRequest(routeId: string): Promise<PageRequest>
  /** Writes what waits to be kept in the database. */
  settle(): Promise<void>
}

export interface PageSettings extends ContextSettings {
  hashing: Hashing
  log: Log
  /** Memory for finished pages. */
  cacheBytes: number
  /** Whether the database keeps finished pages too; it does so for the public space's routes. */
  kept: boolean
}

interface Written {
  readonly text: string
  /** Whether it shows anything of other trees. */
  readonly linked: boolean
}

const noLinks: LinkedEntries = new Map()
const encoder = new TextEncoder()

/** Counted up whenever a format writes something else, so that no kept answer of an older version is served. */
const formatRevision = 3
/** How often a page is read again when it was changed meanwhile. */
const readAttempts = 10
const isMadeOf = (cached: MadeOf, made: MadeOf): boolean =>
  cached.root_id === made.root_id &&
  cached.version === made.version &&
  cached.pending === made.pending &&
  cached.schema_version === made.schema_version &&
  (cached.content_version === null || cached.content_version === made.content_version)

/** The rows of what the public sees of trees whose changes wait, on the route that they are on now. */
function rowsOf<E extends LeanEntry, V extends LeanValue>(
  kept: readonly OfSnapshot[],
  route_id: string | null,
): { entries: E[]; values: V[] } {
  const entries: E[] = []
  const values: V[] = []
  for (const { snapshot } of kept) {
    if (snapshot === undefined) continue
    const { entry, fields } = readEntry<E, V>(snapshot)
    entries.push(entry.parent_id === null ? { ...entry, route_id } : entry)
    for (const value of fields) values.push({ ...value, route_id })
  }
  return { entries, values }
}

export function pages(db: Database, space: ContentSpace, settings: PageSettings): PageService {
  const { hashing, log, cacheBytes, kept, origin, mediaUrl } = settings
  const schemaOf = schemas(db, space)
  const context = pageContext(db, space, settings)
  const found = { public: pageFound(space, 'public'), working: pageFound(space, 'working') }
  const [lean, whole] = [leanTrees(space), wholeTrees(space)]
  const memory = pageMemory(cacheBytes)
  const keeper = pageKeeper(db, log)
  // Answers name addresses, so those that were kept under others are not served.
  const addresses = origin + mediaUrl('')
  const maker = `${formatRevision}${addresses === '' ? '' : `-${hashing.sha256(addresses).slice(0, 8)}`}`
  let commits = 0

  db.onCommit(commit => {
    commits++
    if (commit.allPages) memory.clear()
    else if (commit.trees.size > 0) {
      for (const root of commit.trees) memory.dropTree(root)
      memory.dropLinked()
    }
  })

  const finish = (text: string, tags: string): Answer => ({
    tags,
    body: encoder.encode(text),
    etag: `"${hashing.sha256(text).slice(0, 32)}"`,
  })
  const wantedBy = (audience: Audience) =>
    audience === 'public' ? (entry: LeanEntry) => entry.status === 'published' : () => true

  /** Reads trees as a format wants them, and writes them in it. */
  function writing<E extends LeanEntry, V extends LeanValue>(
    queries: TreeQueries<E, V>,
    write: Write<ContentTree<E, V>>,
    showsMedia: boolean,
  ) {
    async function treeRows({ routeId: route }: PageFound, { root_id: root, version }: MadeOf) {
      const entries = await db.query(queries.entries, { root })
      const [read] = await db.query(queries.values, { root, route })
      return read?.treeVersion === version ? { entries, values: read.values } : undefined
    }
    async function snapshotRows({ routeId }: PageFound, { root_id: root, version }: MadeOf) {
      const rows = await db.query(queries.snapshot, { root })
      return rows[0]?.version === version ? rowsOf<E, V>(rows, routeId) : undefined
    }
    return {
      /** @returns undefined when the tree was changed while it was read */
      async tree(
        page: PageFound,
        made: MadeOf,
        { audience, locale }: PageRequest,
      ): Promise<Written | undefined> {
        const { root_id: root, pending } = made
        const schema = await schemaOf.at(made.schema_version)
        const rows = pending ? await snapshotRows(page, made) : await treeRows(page, made)
        if (!rows) return undefined
        const { roots, damage } = buildTrees(rows.entries, rows.values, schema, wantedBy(audience))
        if (audience === 'working') refuseDamage(damage)
        // A part whose place waits to be published is no damage.
        else if (!pending && damage.circular.length + damage.orphans.length > 0)
          log.error({ root_id: root, ...damage }, 'a damaged part of a published tree was left out')
        const found = roots.find(({ entry }) => entry.content_data_id === root)
        if (!found) throw notFound()
        const links = schema.hasRelations && (await linkTree(db, space, schema, found, audience))
        const tree = { route: page.route(), root: links ? links.root : found }
        const linked = links ? links.linked : noLinks
        const shownWith = await context.of(schema, locale, { root: found, linked, showsMedia })
        return { text: write(tree, shownWith), linked: Boolean(links) }
      },
      async globals(audience: Audience, name: string | undefined, locale: string): Promise<string> {
        const version = (await db.get(keptTables.counters, 'schema_version'))?.value ?? 0
        const schema = await schemaOf.at(version)
        const entries = await db.query(queries.entriesWithoutRoute, {})
        const values = await db.query(queries.valuesWithoutRoute, {})
        const live = buildTrees(entries, values, schema, wantedBy(audience))
        refuseDamage(live.damage)
        // Read last, so that no change that waits can have been read without what stands for it.
        const kept = audience === 'public' ? await db.query(queries.snapshotsWithoutRoute, {}) : []
        const waiting = new Set(kept.map(({ root }) => root))
        const rows = rowsOf<E, V>(kept, null)
        const roots = [
          ...live.roots.filter(({ entry }) => !waiting.has(entry.content_data_id)),
          ...buildTrees(rows.entries, rows.values, schema, wantedBy(audience)).roots,
        ].sort(bySiblingOrder)
        const wanted = roots.filter(({ datatype }) => name === undefined || datatype.name === name)
        if (name !== undefined && wanted.length === 0) throw notFound()
        // A wrong locale is refused also where there is nothing to write.
        context.refuseLocale(schema, locale)
        const bodies: string[] = []
        for (const root of wanted) {
          const links = schema.hasRelations && (await linkTree(db, space, schema, root, audience))
          const linked = links ? links.linked : noLinks
          const shownWith = await context.of(schema, locale, { root, linked, showsMedia })
          bodies.push(write({ route: undefined, root: links ? links.root : root }, shownWith))
        }
        return `[${bodies.join(',')}]`
      },
    }
  }

  function writingOf(name: FormatName) {
    const format = formats.get(name)
    if (!format) throw notFound()
    return format.reads === 'lean' ? writing(lean, format.write, false) : writing(whole, format.write, true)
  }

  /** @returns undefined when the page was changed while it was read */
  async function build(page: PageFound, made: MadeOf, request: PageRequest) {
    const written = await writingOf(request.format).tree(page, made, request)
    if (!written) return undefined
    const { body, etag } = finish(written.text, '')
    return { body, etag, made: written.linked ? made : { ...made, content_version: null } }
  }

  function inMemory({ key }: PageRequest): Answer | undefined {
    const cached = memory.get(key)
    return cached && cached.foreign === db.externalChanges() ? cached : undefined
  }

  async function page(request: PageRequest): Promise<Answer> {
    const ready = inMemory(request)
    if (ready) return ready
    for (let attempt = 0; attempt < readAttempts; attempt++) {
      const answer = await fetchPage(request)
      if (answer) return answer
    }
    throw unavailable('the page is being changed, try again')
  }

  async function fetchPage(request: PageRequest): Promise<Answer | undefined> {
    const { slug, audience, key } = request
    const foreign = db.externalChanges()
    const cached = memory.get(key)
    const before = commits
    const [page] = await db.query(found[audience], { key: kept ? key : '', renderer: maker, slug })
    if (!page?.made || (audience === 'public' && !page.answer && page.rootStatus !== 'published'))
      throw notFound()
    if (cached && isMadeOf(cached, page.made)) {
      cached.foreign = foreign
      return cached
    }
    const { routeId: route_id, answer: stored } = page
    const built = stored ? undefined : await build(page, page.made, request)
    const answer = stored ?? built
    if (!answer) return undefined
    const { body, etag } = answer
    const { root_id, version, pending, schema_version, content_version } = built?.made ?? page.made
    if (built && kept)
      keeper.keep({ page_key: key, renderer_version: maker, route_id, ...built.made, etag, body })
    const finished: Cached = {
      body,
      etag,
      tags: `${route_id} ${root_id}`,
      root_id,
      version,
      pending,
      schema_version,
      content_version,
      foreign,
      bytes: body.length + 500,
      used: false,
    }
    // What was read before a commit may be older than it.
    if (commits === before) memory.set(key, finished)
    return finished
  }

  return {
    settle: keeper.settle,
    inMemory,
    page,
    globals: async ({ format, audience, datatype, locale }) =>
      finish(await writingOf(format).globals(audience, datatype, locale), 'globals'),
    async treeRequest(routeId) {
      const route = await db.get(space.routes, routeId)
      if (!route) throw notFound()
      return pageRequest({ slug: route.slug, format: 'raw', audience: 'working', locale: '' })
    },
  }
}
