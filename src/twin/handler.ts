import { languageTag, lookUpTag } from '../language-tags.js'
import { addressProblem, isServicePath, locationOf, slugOfPath } from '../request-paths.js'
import { matches, prefersMarkdown } from '../routes/accepted.js'
import {
  type Answer,
  anyLocale,
  bodyName,
  type Entry,
  everyLocale,
  type Fixed,
  type Root,
  rootName,
  type Shard,
  shardName,
  shardOf,
  variantKey,
} from './layout.js'

/** Reads the objects of a twin. */
export interface TwinStore {
  /** The bytes of an object; undefined or null without such an object. It must not be cached for `root.json`. */
  get(name: string): Promise<Uint8Array | undefined | null>
}

export interface TwinOptions {
  /** Answers what the twin does not have, or not yet anew, such as `https://cms.example.com`. */
  readonly origin?: string
}

interface Held {
  root?: Root
  readAt: number
  readonly shards: Map<string, Shard>
}

/** How long a root is used before the store is asked for a newer one, in milliseconds. */
const rootMs = 500
/** How long the origin may take for a response that the twin has too. */
const originMs = 1000
const maxShards = 64
const maxLocale = 35

const held = new WeakMap<TwinStore, Held>()
const decoder = new TextDecoder()
/** `slugline twin` has written it, and its name is its hash. */
const parsed = <T>(bytes: Uint8Array): T => JSON.parse(decoder.decode(bytes)) as T

/** An object is gone: the twin has gone on since its root was read. */
class Outdated extends Error {}

function heldOf(store: TwinStore): Held {
  const known = held.get(store) ?? { readAt: Number.NEGATIVE_INFINITY, shards: new Map() }
  held.set(store, known)
  return known
}

async function rootOf(store: TwinStore, isForced: boolean): Promise<Root | undefined> {
  const known = heldOf(store)
  if (!isForced && Date.now() - known.readAt < rootMs) return known.root
  const readAt = Date.now()
  try {
    const bytes = await store.get(rootName)
    if (bytes) known.root = parsed<Root>(bytes)
    known.readAt = readAt
  } catch (error) {
    // A store that does not answer for a moment may still have the rest.
    if (!known.root) throw error
  }
  return known.root
}

async function entryAt(store: TwinStore, root: Root, name: string): Promise<Entry | undefined> {
  const hash = root.shards[shardOf(name, root.shards.length)]
  if (hash === undefined) return undefined
  const { shards } = heldOf(store)
  let shard = shards.get(hash)
  if (!shard) {
    const bytes = await store.get(shardName(hash))
    if (!bytes) throw new Outdated()
    shard = parsed<Shard>(bytes)
  }
  // The last used one is the last.
  shards.delete(hash)
  shards.set(hash, shard)
  for (const oldest of shards.keys()) {
    if (shards.size <= maxShards) break
    shards.delete(oldest)
  }
  return Object.hasOwn(shard, name) ? shard[name] : undefined
}

const fixedAnswer = ({ status, headers, text }: Fixed, isHead: boolean): Response =>
  new Response(isHead || status === 204 ? null : text, { status, headers })

async function stored(
  request: Request,
  store: TwinStore,
  { heads, objects }: Entry,
  [at, object, from, to, etag]: Answer,
): Promise<Response> {
  const [head, hash] = [heads[at], objects[object]]
  if (!head || hash === undefined) throw new Outdated()
  const { status, headers: shared } = head
  const headers = etag === '' ? shared : { ...shared, ETag: etag }
  if (etag !== '' && matches(request.headers.get('if-none-match') ?? undefined, etag))
    return new Response(null, { status: 304, headers })
  const isHead = request.method === 'HEAD'
  const bodies = isHead ? undefined : await store.get(bodyName(hash))
  if (!isHead && !bodies) throw new Outdated()
  const length = { 'Content-Length': String(to - from) }
  return new Response(bodies?.slice(from, to) ?? null, { status, headers: { ...headers, ...length } })
}

/** A file of the site; undefined for other paths. */
function fileIn(path: string, query: URLSearchParams): { name: string; key: string } | undefined {
  if (path === '/robots.txt' || path === '/llms.txt') return { name: path.slice(1), key: '' }
  if (path !== '/sitemap.xml') return undefined
  const [after, until] = [query.get('after'), query.get('until')]
  return { name: 'sitemap.xml', key: after === null && until === null ? '' : `${after ?? ''} ${until ?? ''}` }
}

type FixedName = keyof Root['fixed']
type Wanted = { readonly slug: string; readonly key: string }

function localeIn(root: Root, asked: string): string {
  if (asked === '' || asked === everyLocale) return asked
  const { locales } = root
  return locales === null ? anyLocale : (lookUpTag(asked, new Set(locales)) ?? '')
}

/** The entry and the response that a request wants, or the name of a fixed response; undefined beyond the twin. */
function wantedBy(
  { headers }: Request,
  root: Root,
  path: string,
  query: URLSearchParams,
): Wanted | FixedName | undefined {
  const given = query.get('format')
  const format = given ?? root.format
  if (!root.formats.includes(format)) return 'format'
  const slug = slugOfPath(path, '')
  if (slug === undefined) return 'missing'
  const locale = query.get('locale') ?? ''
  const isAll = locale === everyLocale && format === 'contentful'
  if (locale !== '' && !isAll && (locale.length > maxLocale || !languageTag.test(locale))) return 'locale'
  if (query.get('expand')) return format === 'native' ? undefined : 'expand'
  const isOpen = given === null && format !== 'markdown' && !isAll
  const isVersion4 = format === 'strapi' && headers.get('strapi-response-format') === 'v4'
  const named = isVersion4 ? 'strapi-v4' : format
  const variant = isOpen && prefersMarkdown(headers.get('accept')) ? 'markdown' : named
  return { slug, key: variantKey(variant, isOpen, localeIn(root, locale)) }
}

function refusal(address: string, { fixed }: Root, isHead: boolean): Response | undefined {
  const problem = addressProblem(address)
  if (problem === undefined) return undefined
  const { text, ...head } = fixed.address
  const error = `the address ${problem}`
  return fixedAnswer({ ...head, text: JSON.stringify({ ...JSON.parse(text), error }) }, isHead)
}

interface Reading {
  readonly request: Request
  readonly store: TwinStore
  readonly root: Root
  readonly origin: string | undefined
}

/** The response of the origin, if that of the twin may be outdated. Undefined if it does not come soon. */
async function newerThan({ request, root, origin }: Reading, name: string): Promise<Response | undefined> {
  const { behind, shards } = root
  if (!origin || behind?.includes(shardOf(name, shards.length)) !== true) return undefined
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), originMs)
  try {
    const response = await passed(request, origin, controller.signal)
    return response.status < 500 && response.status !== 429 ? response : undefined
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

async function pageAnswer(
  reading: Reading,
  [path, query]: [string, URLSearchParams],
): Promise<Response | undefined> {
  const { request, store, root } = reading
  const isHead = request.method === 'HEAD'
  const wanted = wantedBy(request, root, path, query)
  if (typeof wanted !== 'object') return wanted && fixedAnswer(root.fixed[wanted], isHead)
  const newer = await newerThan(reading, wanted.slug)
  if (newer) return newer
  const entry = await entryAt(store, root, wanted.slug)
  if (!entry) return fixedAnswer(root.fixed.missing, isHead)
  const { target, heads, answers } = entry
  const [first] = heads
  if (target !== undefined && first) {
    const Location = locationOf({ target, prefix: '' }, request.url)
    return new Response(null, { status: first.status, headers: { ...first.headers, Location } })
  }
  const known = Object.hasOwn(answers, wanted.key) ? answers[wanted.key] : undefined
  return known && stored(request, store, entry, known)
}

/** Answers from a root. @returns undefined for what the twin does not have */
async function answer(reading: Reading): Promise<Response | undefined> {
  const { request, store, root } = reading
  const { method, url, headers } = request
  const isHead = method === 'HEAD'
  const address = url.slice(url.indexOf('/', 8))
  if (isServicePath(address, 0)) return undefined
  const isPreflight = headers.has('origin') && headers.has('access-control-request-method')
  if (method === 'OPTIONS' && isPreflight) return fixedAnswer(root.fixed.preflight, false)
  if (method !== 'GET' && !isHead) return fixedAnswer(root.fixed.method, false)
  const at = address.indexOf('?')
  const path = at < 0 ? address : address.slice(0, at)
  const query = new URLSearchParams(at < 0 ? '' : address.slice(at))
  const file = fileIn(path, query)
  const found = file && (await entryAt(store, root, file.name))
  if (!found) return refusal(address, root, isHead) ?? pageAnswer(reading, [path, query])
  const newer = await newerThan(reading, file.name)
  if (newer) return newer
  const known = Object.hasOwn(found.answers, file.key) ? found.answers[file.key] : undefined
  return known && stored(request, store, found, known)
}

/** Answers from the newest root. If an object is missing, the root is outdated and is read again. */
async function fromStore(request: Request, store: TwinStore, origin?: string): Promise<Response | undefined> {
  for (const isForced of [false, true]) {
    const root = await rootOf(store, isForced)
    if (!root) return undefined
    try {
      return await answer({ request, store, root, origin })
    } catch (error) {
      if (!(error instanceof Outdated)) throw error
    }
  }
  return undefined
}

function unavailable(error: string): Response {
  const headers = { 'Cache-Control': 'no-store', 'Access-Control-Allow-Origin': '*' }
  return Response.json({ error, code: 'unavailable' }, { status: 503, headers })
}

function passed(request: Request, origin: string, signal?: AbortSignal): Promise<Response> {
  const address = request.url.slice(request.url.indexOf('/', 8))
  const headers = new Headers(request.headers)
  // `fetch` decompresses a response, but leaves its headers as if it had not.
  headers.set('Accept-Encoding', 'identity')
  const wanted = { headers, redirect: 'manual' as const, ...(signal ? { signal } : {}) }
  return globalThis.fetch(new Request(origin + address, request), wanted)
}

async function fromOrigin(request: Request, origin: string): Promise<Response> {
  try {
    return await passed(request, origin)
  } catch {
    return unavailable('the twin does not have this response, and the origin does not answer')
  }
}

/**
 * Answers a request from a twin, as its service would. What the twin does not have is passed to the origin; without one,
 * or if it does not answer, the response is a 503 in JSON. What the twin is still to read again is asked of the origin
 * first, and answered from the twin if the origin does not answer.
 */
export async function fetch(
  request: Request,
  store: TwinStore,
  { origin }: TwinOptions = {},
): Promise<Response> {
  try {
    const found = await fromStore(request, store, origin)
    if (found) return found
  } catch {
    if (!origin) return unavailable('the store of the twin does not answer')
  }
  return origin
    ? fromOrigin(request, origin)
    : unavailable('the twin does not have this response, and no origin is configured')
}
