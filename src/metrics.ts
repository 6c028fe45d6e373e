/**
 * Counters of the service: plain numbers that are raised where something happens, and read on request.
 * The runtime writes them as text.
 */

/** Upper bounds of the latencies that are counted together, in seconds. */
export const latencyBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])

/** The requests of one method to one route. */
export class RequestSeries {
  readonly statuses = new Map<number, number>()
  /** How many took at most each bound and more than the one before; the last is for what took longer. */
  readonly buckets: number[] = Array.from({ length: latencyBounds.length + 1 }, () => 0)
  seconds = 0

  constructor(
    readonly surface: string,
    readonly route: string,
    readonly method: string,
  ) {}

  add(status: number, milliseconds: number): void {
    const seconds = milliseconds / 1000
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    this.seconds += seconds
    let at = 0
    while (at < latencyBounds.length && seconds > (latencyBounds[at] as number)) at++
    this.buckets[at] = (this.buckets[at] as number) + 1
  }
}

/** Requests by surface, route and method; at most as many series as there are routes, whatever callers request. */
export class RequestCounts {
  private readonly bySurface = new Map<string, Map<string, RequestSeries>>()

  /** @param route a pattern such as `/api/v1/routes`, never an address */
  of(surface: string, route: string, method: string): RequestSeries {
    const known = knownMethods.has(method) ? method : 'OTHER'
    const key = `${known} ${route}`
    const routes = this.bySurface.get(surface) ?? new Map<string, RequestSeries>()
    const series = routes.get(key) ?? new RequestSeries(surface, route, known)
    routes.set(key, series)
    this.bySurface.set(surface, routes)
    return series
  }

  *all(): Iterable<RequestSeries> {
    for (const routes of this.bySurface.values()) yield* routes.values()
  }
}

/** Where pages came from. */
export interface PageCounts {
  memory: number
  built: number
}

/** Statements outside of transactions that write, and in them. */
export interface StatementCounts {
  read: number
  write: number
}

export interface PoolState {
  readonly used: number
  readonly free: number
  readonly waiting: number
}

interface RunningInstance {
  readonly version: string
  readonly role: string
  readonly host: string
  readonly pid: number
  readonly started_at: string
  /** How far the machine's clock was ahead of the database's, in milliseconds. */
  readonly clock_ms: number
}

export interface Measured {
  readonly requests: readonly RequestSeries[]
  readonly pages: PageCounts
  readonly statements: StatementCounts
  readonly deliveries: ReadonlyMap<string, number>
  /** How long the delivery that is most overdue has waited, in seconds; undefined when the database did not say. */
  readonly queueAgeSeconds: number | undefined
  readonly pool: PoolState | undefined
  /** The running instances; undefined when the database did not say. */
  readonly instances: readonly RunningInstance[] | undefined
  /** How far the machine's clock is ahead of the database's. */
  readonly clockAheadSeconds: number
  /** How far the database of an instance that only reads is behind; undefined for others, or when it did not say. */
  readonly replicaLagMs: number | undefined
  readonly backupAgeSeconds: number | undefined
}

/** Metrics as a text for who collects them. */
export interface Exposition {
  readonly type: string
  readonly text: string
}
