import type { Bytes } from '../db/columns.js'
import type { Database } from '../db/database.js'
import {
  entriesOfTree,
  entriesWithoutRoute,
  type PageHead,
  pageHead,
  valuesOfTree,
  valuesWithoutRoute,
} from '../db/queries.js'
import { type ContentSpace, keptTables } from '../db/tables.js'
import { notFound, unavailable } from '../errors.js'
import { type FormatName, formats } from './content-formats/index.js'
import { buildTrees, type ContentTree, type Entry, refuseDamage } from './content-tree.js'
import { type Answer, pageMemory } from './page-memory.js'
import type { Hashing, Log } from './ports.js'
import { schemas } from './schema.js'

/** Who the answer is for: the public sees what is published, a reader of the API the working state. */
export type Audience = 'public' | 'working'

export interface PageRequest {
  readonly slug: string
  readonly format: FormatName
  readonly audience: Audience
  readonly locale: string
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
  /** All trees that hang on no route, as a JSON array of their bodies. */
  globals(format: FormatName, audience: Audience): Promise<Answer>
  /** The working tree of a route, raw. @throws 409 when it is damaged */
  treeOf(routeId: string): Promise<Answer>
  /** Writes what waits to be kept in the database. */
  settle(): Promise<void>
}

const encoder = new TextEncoder()

/** Counted up whenever a format writes something else, so that no kept answer of an older version is served. */
const formatRevision = 1
/** How often a page is read again when it was changed meanwhile. */
const readAttempts = 10
/** Finished answers wait for each other this long before they are written, in milliseconds. */
const keepDelay = 250
/** More than this many waiting answers are not kept; they are built again when asked for. */
const keepAtMost = 2000

export function pages(
  db: Database,
  space: ContentSpace,
  { hashing, log, cacheBytes }: { hashing: Hashing; log: Log; cacheBytes: number },
): PageService {
  const schemaOf = schemas(db, space)
  const headOf = pageHead(space)
  const entriesOf = entriesOfTree(space)
  const valuesOf = valuesOfTree(space)
  const memory = pageMemory(cacheBytes)
  const waiting = new Map<
    string,
    { route_id: string; variant: string; stamp: string; etag: string; body: Bytes }
  >()
  let keeping: ReturnType<typeof setTimeout> | undefined
  let commits = 0

  db.onCommit(commit => {
    commits++
    if (commit.allPages) memory.clear()
    else for (const root of commit.trees) memory.dropTree(root)
  })

  const finish = (text: string): Answer => ({
    body: encoder.encode(text),
    etag: `"${hashing.sha256(text).slice(0, 32)}"`,
  })
  const wantedBy = (audience: Audience) =>
    audience === 'public' ? (entry: Entry) => entry.status === 'published' : () => true

  /** @returns undefined when the tree was changed while it was read */
  async function build(head: PageHead, root: string, request: PageRequest): Promise<Answer | undefined> {
    const schema = await schemaOf.at(head.pagesVersion)
    const entries = await db.query(entriesOf, { root })
    const values = await db.query(valuesOf, { root })
    if (values[0]?.treeVersion !== head.treeVersion) return undefined
    const { roots, damage } = buildTrees(entries, values, schema, wantedBy(request.audience))
    if (request.audience === 'working') refuseDamage(damage)
    else if (damage.circular.length + damage.orphans.length > 0)
      log.error({ root_id: root, ...damage }, 'a damaged part of a published tree was left out')
    const found = roots.find(({ entry }) => entry.content_data_id === root)
    if (!found) throw notFound()
    return finish(format(request.format, { route: head.route(), root: found }, request.locale))
  }

  function keep(routeId: string, variant: string, stamp: string, { etag, body }: Answer): void {
    if (waiting.size >= keepAtMost) return
    waiting.set(`${routeId}/${variant}`, { route_id: routeId, variant, stamp, etag, body })
    keeping ??= setTimeout(() => {
      settle().catch(error => log.warn({ err: error }, 'finished pages could not be kept'))
    }, keepDelay)
  }

  async function settle(): Promise<void> {
    clearTimeout(keeping)
    keeping = undefined
    const rows = [...waiting].map(([answer_key, row]) => ({ answer_key, ...row }))
    waiting.clear()
    if (rows.length > 0) await db.keep(keptTables.pageAnswers, rows)
  }

  const variantOf = ({ audience, format, locale }: PageRequest) => `${audience}/${format}/${locale}`

  function inMemory(request: PageRequest): Answer | undefined {
    const cached = memory.get(variantOf(request) + request.slug)
    return cached && cached.foreign === db.foreignChanges() ? cached : undefined
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
    const { slug, audience } = request
    const variant = variantOf(request)
    const key = variant + slug
    const foreign = db.foreignChanges()
    const cached = memory.get(key)
    const before = commits
    const [head] = await db.query(headOf, { slug, variant })
    if (!head?.rootId || (audience === 'public' && head.rootStatus !== 'published')) throw notFound()
    const stamp = `${formatRevision}.${head.rootId}.${head.treeVersion}.${head.pagesVersion}`
    if (cached?.stamp === stamp) {
      cached.foreign = foreign
      return cached
    }
    const kept = head.answer?.stamp === stamp ? head.answer : undefined
    const answer = kept ?? (await build(head, head.rootId, request))
    if (!answer) return undefined
    if (!kept) keep(head.routeId, variant, stamp, answer)
    // What was read before a commit may be older than it.
    if (commits === before)
      memory.set(key, {
        ...answer,
        stamp,
        foreign,
        rootId: head.rootId,
        bytes: answer.body.length + 500,
        used: false,
      })
    return answer
  }

  return {
    settle,
    inMemory,
    page,
    async globals(name, audience) {
      const version = (await db.get(keptTables.generations, 'pages'))?.value ?? 0
      const schema = await schemaOf.at(version)
      const entries = await db.query(entriesWithoutRoute(space), {})
      const values = await db.query(valuesWithoutRoute(space), {})
      const { roots, damage } = buildTrees(entries, values, schema, wantedBy(audience))
      refuseDamage(damage)
      return finish(`[${roots.map(root => format(name, { route: undefined, root }, '')).join(',')}]`)
    },
    async treeOf(routeId) {
      const route = await db.get(space.routes, routeId)
      if (!route) throw notFound()
      return page({ slug: route.slug, format: 'raw', audience: 'working', locale: '' })
    },
  }
}

function format(name: FormatName, tree: ContentTree, locale: string): string {
  const write = formats.get(name)
  if (!write) throw notFound()
  return write(tree, { locale, origin: '' })
}
