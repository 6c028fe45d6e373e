import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  bodyName,
  type Entry,
  type Root,
  rootName,
  type Shard,
  shardName,
  shardOf,
} from '../../twin/layout.js'
import {
  type Ask,
  type Capturing,
  captureFile,
  captureFixed,
  captureSlug,
  type Languages,
} from './capture.js'
import type { TwinObjects } from './objects.js'

/** About so many slugs are in a shard. */
const slugsInShard = 64
const minShards = 16
/** Objects that no root names any more stay for this long, for readers of older roots. */
const graceMs = 60_000
/** How often a page that shows others is read again because the site has changed meanwhile. */
const maxTries = 3
const siteFiles = ['robots.txt', 'sitemap.xml', 'llms.txt']

const hashOf = (content: Uint8Array): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 32)

/** The page at a slug, as far as a twin needs to know it for later changes. */
type PageAt = (slug: string) => Promise<Pick<Entry, 'page' | 'shows'>>

export interface Site {
  readonly ask: Ask
  readonly pageAt: PageAt
  /** Returns a number that differs after each change. */
  readonly moment: () => Promise<number>
  readonly languages: Languages
  readonly service: string
}

export interface Writing {
  /** Returns the last change that is in the twin once all is read. */
  readonly change: () => number
  /** The addresses to ask for again, each once. */
  readonly slugs: Iterable<string> | AsyncIterable<string>
  /** Returns the addresses that are still to be read again then. */
  readonly waiting?: () => Iterable<string>
  /** Whether it has nothing but these then. */
  readonly isAll?: boolean
  /** Whether the sitemap and the other files of the site are asked for again too. */
  readonly withFiles?: boolean
}

const shardsFor = (slugs: number): number => {
  let count = minShards
  while (count * slugsInShard < slugs) count *= 2
  return count
}

type Entries = ReadonlyMap<string, Entry>

const bodiesOf = (entry: Entry | undefined): string[] => (entry?.objects ?? []).map(bodyName)

const changedNames = (before: Entries, after: Entries): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter(name => before.get(name) !== after.get(name))

/** The shards of addresses, as a root has them. */
function behindIn(slugs: Iterable<string>, shards: number): Pick<Root, 'behind'> {
  const places = new Set([...slugs].map(slug => shardOf(slug, shards)))
  return places.size > 0 ? { behind: [...places].sort((a, b) => a - b) } : {}
}

/** Captures an address, with what a later change of it is known by. */
async function capturedAt(slug: string, site: Site, capturing: Capturing): Promise<Entry | undefined> {
  for (let tries = 0; ; tries++) {
    const moment = await site.moment()
    const entry = await captureSlug(capturing, slug)
    if (!entry || entry.target !== undefined) return entry
    const page = await site.pageAt(slug)
    // Else its responses may show an entry that is gone again, whose tree is not among those that it shows.
    if (!page.shows || tries === maxTries || moment === (await site.moment())) return { ...entry, ...page }
  }
}

/** Writes the responses of a site as objects. Each written root is whole: all that it names was stored before. */
export class Twin {
  #root: Root | undefined
  #entries = new Map<string, Entry>()
  /** How often the root and what it names use an object. A site has many times more of them than addresses. */
  readonly #uses = new Map<string, number>()
  /** Objects that no root names, and when they may be removed. */
  readonly #unused = new Map<string, number>()

  constructor(
    private readonly objects: TwinObjects,
    private readonly now: () => number,
  ) {}

  get root(): Root | undefined {
    return this.#root
  }

  get entries(): ReadonlyMap<string, Entry> {
    return this.#entries
  }

  /** Reads what an earlier process has written. A twin that is damaged, or of another layout, is written anew. */
  async open(): Promise<void> {
    await this.objects.open()
    const root = await this.objects.read<Root>(rootName).catch(() => undefined)
    if (root?.layout !== 2) return
    const shards = await Promise.all(root.shards.map(hash => this.objects.read<Shard>(shardName(hash))))
    if (shards.some(shard => shard === undefined)) return
    const entries = new Map(shards.flatMap(shard => Object.entries(shard ?? {})))
    const bodies = [...entries.values()].flatMap(bodiesOf)
    if (bodies.every(name => this.objects.names.has(name))) this.#take(root, entries)
  }

  /** The place of the shard that an address is in. */
  placeOf(slug: string): number {
    return shardOf(slug, this.#root?.shards.length ?? minShards)
  }

  /** Tells readers which addresses will be read again, because that takes long. Without any: all of the site. */
  async announce(slugs?: Iterable<string>): Promise<void> {
    if (!this.#root) return
    const { behind: _, ...root } = this.#root
    const behind = slugs ? behindIn(slugs, root.shards.length) : { behind: [...root.shards.keys()] }
    await this.#replaceRoot({ ...root, ...behind }, this.#entries)
  }

  /** Writes what a site answers now at some addresses. All others stay, unless it writes all. */
  async write(
    site: Site,
    { change, slugs, waiting, isAll = false, withFiles = true }: Writing,
  ): Promise<void> {
    const capturing: Capturing = { ...site, keep: object => this.#keepBodies(object) }
    const entries = isAll ? new Map<string, Entry>() : new Map(this.#entries)
    const set = (name: string, entry: Entry | undefined) => {
      if (!entry) entries.delete(name)
      // An equal one stays the same object, so that its shard is not written again.
      else if (!isDeepStrictEqual(entries.get(name), entry)) entries.set(name, entry)
    }
    for await (const slug of slugs) set(slug, await capturedAt(slug, site, capturing))
    for (const name of withFiles ? siteFiles : []) set(name, await captureFile(capturing, name))
    const { service, languages } = site
    const fixed = isAll || !this.#root ? await captureFixed(site.ask) : this.#root.fixed
    const shards = await this.#writeShards(entries)
    const behind = behindIn(waiting?.() ?? [], shards.length)
    const root: Root = { layout: 2, change: change(), service, ...languages, shards, ...behind, fixed }
    await this.#replaceRoot(root, entries)
    await this.#removeUnused()
  }

  async #keepBodies(object: Uint8Array): Promise<string> {
    const hash = hashOf(object)
    this.#forNow(bodyName(hash))
    await this.objects.keep(bodyName(hash), object, 'application/octet-stream')
    return hash
  }

  /** Keeps an object that no root names yet, whether or not one will. */
  #forNow(name: string): void {
    if (!this.#uses.has(name)) this.#unused.set(name, this.now() + graceMs)
  }

  async #writeShards(entries: ReadonlyMap<string, Entry>): Promise<string[]> {
    const count = shardsFor(entries.size)
    const before = this.#root?.shards ?? []
    const changed = new Set(changedNames(this.#entries, entries).map(name => shardOf(name, count)))
    const parts = Array.from({ length: count }, (): [string, Entry][] => [])
    for (const [name, entry] of entries) parts[shardOf(name, count)]?.push([name, entry])
    return Promise.all(
      parts.map(async (part, at) => {
        const known = before.length === count && !changed.has(at) ? before[at] : undefined
        if (known !== undefined) return known
        const named = part.toSorted(([a], [b]) => (a < b ? -1 : 1))
        const content = Buffer.from(JSON.stringify(Object.fromEntries(named)))
        const hash = hashOf(content)
        this.#forNow(shardName(hash))
        await this.objects.keep(shardName(hash), content)
        return hash
      }),
    )
  }

  async #replaceRoot(root: Root, entries: Map<string, Entry>): Promise<void> {
    if (isDeepStrictEqual(this.#root, root)) return
    await this.objects.replace(rootName, root)
    this.#take(root, entries)
  }

  #take(root: Root, entries: Map<string, Entry>): void {
    const changed = changedNames(this.#entries, entries)
    const namedBy = (shards: readonly string[], of: Entries) => [
      ...shards.map(shardName),
      ...changed.flatMap(name => bodiesOf(of.get(name))),
    ]
    const [fresh, old] = [namedBy(root.shards, entries), namedBy(this.#root?.shards ?? [], this.#entries)]
    for (const name of fresh) this.#use(name)
    for (const name of old) this.#leave(name)
    // An earlier process may have left some behind.
    if (!this.#root) for (const name of this.objects.names) this.#forNow(name)
    ;[this.#root, this.#entries] = [root, entries]
  }

  #use(name: string): void {
    this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1)
    this.#unused.delete(name)
  }

  #leave(name: string): void {
    const rest = (this.#uses.get(name) ?? 0) - 1
    if (rest > 0) this.#uses.set(name, rest)
    else {
      this.#uses.delete(name)
      this.#forNow(name)
    }
  }

  async #removeUnused(): Promise<void> {
    const due = [...this.#unused].filter(([, until]) => until <= this.now()).map(([name]) => name)
    if (due.length === 0) return
    await this.objects.remove(due)
    for (const name of due) this.#unused.delete(name)
  }
}
