import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Actor } from '../actor.js'
import type { Config } from '../config.js'
import { databaseFile } from '../config.js'
import { latencyBounds, type Measured } from '../metrics.js'
import type { ServicesOfSpace } from '../resources/admin-space.js'
import { titlesById } from '../resources/entries.js'
import { type RecentRow, recentRows } from '../resources/views/recent.js'
import { english } from '../texts/language.js'

const windowSeconds = 60
const [often, seldom] = [3000, 30_000]
const maxSamples = 600
const hereMs = 5 * 60_000
const [maxPlanned, maxChanges, maxHere] = [5, 8, 8]
const maxEvents = 40

interface Count {
  readonly requests: number
  readonly buckets: readonly number[]
}

interface Sample {
  readonly at: number
  readonly surfaces: ReadonlyMap<string, Count>
  readonly reads: number
  readonly writes: number
}

/** The numbers of one surface. */
export interface Surface {
  readonly name: string
  readonly perSecond: readonly number[]
  /** Milliseconds that 95 % of the requests of the last minute took at most; undefined without requests. */
  readonly p95: number | undefined
  readonly total: number
}

export interface Vitals {
  readonly surfaces: readonly Surface[]
  readonly statements: { readonly read: number; readonly write: number } | undefined
  /** The part of pages that came from memory, from 0 to 1. */
  readonly cached: number | undefined
  readonly deliveries: ReadonlyMap<string, number> | undefined
  readonly queueSeconds: number | undefined
  readonly backupSeconds: number | undefined
  readonly instances: Measured['instances']
  readonly freeBytes: number | undefined
  readonly here: readonly { name: string; at: string }[] | undefined
  readonly planned: readonly { title: string; at: string; publishes: boolean }[] | undefined
  readonly changes: readonly RecentRow[] | undefined
}

function sampleOf({ metrics }: ServicesOfSpace, at: number, counts: { read: number; write: number }): Sample {
  const surfaces = new Map<string, { requests: number; buckets: number[] }>()
  for (const { surface, buckets } of metrics.requests.all()) {
    const known = surfaces.get(surface) ?? { requests: 0, buckets: buckets.map(() => 0) }
    for (const [i, count] of buckets.entries()) {
      known.buckets[i] = (known.buckets[i] ?? 0) + count
      known.requests += count
    }
    surfaces.set(surface, known)
  }
  return { at, surfaces, reads: counts.read, writes: counts.write }
}

/** Returns the least bound, in milliseconds, under which 95 % of the counted requests are. */
function p95Of(now: Count, before: Count | undefined): number | undefined {
  const counts = now.buckets.map((count, i) => count - (before?.buckets[i] ?? 0))
  const all = counts.reduce((sum, one) => sum + one, 0)
  if (all === 0) return undefined
  let sum = 0
  const at = counts.findIndex(count => {
    sum += count
    return sum >= all * 0.95
  })
  return (latencyBounds[at] ?? Number.POSITIVE_INFINITY) * 1000
}

/** The parts that the numbers are read with, for one user. */
export interface Watcher {
  readonly services: ServicesOfSpace
  readonly actor: Actor
  can(access: string): boolean
  now(): number
  readonly config?: () => Config
}

/** The numbers of the service for one screen: it reads counters each second, and rows less often. */
export class VitalsReader {
  #samples: Sample[] = []
  readonly #parts = new Map<string, { at: number; value: unknown }>()
  #hereAt = -1

  constructor(private readonly watcher: Watcher) {}

  async read(): Promise<Vitals> {
    const { services, actor, can } = this.watcher
    const mayMeasure = can('metrics:read')
    const measured = mayMeasure ? await services.metrics.measure() : undefined
    if (measured) this.#add(sampleOf(services, performance.now(), measured.statements))
    const pages = measured ? measured.pages.memory + measured.pages.built : 0
    const may = (access: string, everyMs: number, read: () => Promise<unknown>) =>
      can(access) ? this.#kept(access, everyMs, read) : undefined
    return {
      surfaces: this.#surfaces(),
      statements: this.#statements(),
      cached: measured && pages > 0 ? measured.pages.memory / pages : undefined,
      deliveries: measured?.deliveries,
      queueSeconds: measured?.queueAgeSeconds,
      backupSeconds: measured?.backupAgeSeconds,
      instances: measured?.instances,
      freeBytes: (await may('metrics:read', seldom, () => this.#freeBytes())) as Vitals['freeBytes'],
      here: can('sessions:read') ? await this.#hereIfSeen(measured) : undefined,
      planned: (await may('content:update', often, () => this.#planned())) as Vitals['planned'],
      changes: (await this.#kept('changes', often, async () => {
        const changes = await services.recentChanges.list(actor, maxEvents)
        return changes && recentRows(changes, maxChanges, services, english)
      })) as Vitals['changes'],
    }
  }

  /**
   * Reads who is here, but only after requests: without them no session is used. Requests to other instances are not
   * counted here.
   */
  async #hereIfSeen(measured: Measured | undefined): Promise<Vitals['here']> {
    const { surfaces } = this.#samples.at(-1) ?? { surfaces: new Map<string, Count>() }
    const requests = [...surfaces.values()].reduce((sum, one) => sum + one.requests, 0)
    const isAlone = measured !== undefined && (measured.instances?.length ?? 2) < 2
    const known = this.#parts.get('here')
    const isSame = isAlone && known !== undefined && this.#hereAt === requests
    const here = isSame ? known.value : await this.#kept('here', seldom, () => this.#here())
    if (this.#parts.get('here') !== known) this.#hereAt = requests
    const since = new Date(this.watcher.now() - hereMs).toISOString()
    return (here as NonNullable<Vitals['here']>).filter(({ at }) => at >= since)
  }

  async #kept(name: string, everyMs: number, read: () => Promise<unknown>): Promise<unknown> {
    const known = this.#parts.get(name)
    const at = performance.now()
    if (known && at - known.at < everyMs) return known.value
    const value = await read()
    this.#parts.set(name, { at, value })
    return value
  }

  #add(sample: Sample): void {
    this.#samples = [...this.#samples, sample].slice(-maxSamples)
  }

  #surfaces(): Surface[] {
    const now = this.#samples.at(-1)
    if (!now) return []
    const before = this.#samples.find(({ at }) => at >= now.at - windowSeconds * 1000)
    return [...now.surfaces].map(([name, count]) => ({
      name,
      total: count.requests,
      p95: before === now ? undefined : p95Of(count, before?.surfaces.get(name)),
      perSecond: this.#samples.slice(1).map(({ at, surfaces }, i) => {
        const last = this.#samples[i] as Sample
        const added = (surfaces.get(name)?.requests ?? 0) - (last.surfaces.get(name)?.requests ?? 0)
        return added / Math.max(0.2, (at - last.at) / 1000)
      }),
    }))
  }

  #statements(): Vitals['statements'] {
    const [last, now] = this.#samples.slice(-2)
    if (!last || !now) return undefined
    const seconds = Math.max(0.2, (now.at - last.at) / 1000)
    return { read: (now.reads - last.reads) / seconds, write: (now.writes - last.writes) / seconds }
  }

  async #freeBytes(): Promise<number | undefined> {
    const { config } = this.watcher
    const file = config && databaseFile(config())
    if (file === undefined) return undefined
    const { bavail, bsize } = await statfs(dirname(resolve(file)))
    return bavail * bsize
  }

  async #here(): Promise<Vitals['here']> {
    const { services, now } = this.watcher
    const { sessions, users } = services
    const since = new Date(now() - hereMs).toISOString()
    const last = new Map<string, string>()
    for (const { user_id, last_access } of await sessions.live())
      if (last_access >= since && last_access > (last.get(user_id) ?? '')) last.set(user_id, last_access)
    const newest = [...last].sort(([, one], [, other]) => (one < other ? 1 : -1)).slice(0, maxHere)
    return Promise.all(
      newest.map(async ([id, at]) => {
        const user = await users.get(id).catch(() => undefined)
        return { name: user ? user.name || user.username : id, at }
      }),
    )
  }

  async #planned(): Promise<Vitals['planned']> {
    const found = await this.watcher.services.space.publishing.planned(maxPlanned)
    const titles = await titlesById(
      found.map(one => one.content_data_id),
      this.watcher,
    )
    return found.map(({ content_data_id, at, publishes }) => ({
      title: titles.get(content_data_id) ?? content_data_id,
      at,
      publishes,
    }))
  }
}
