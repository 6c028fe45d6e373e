import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Metric, Registry } from 'prom-client'
import { ConfigError } from '../errors.js'
import { type Exposition, latencyBounds, type Measured, type RequestSeries } from '../metrics.js'
import type { Log } from '../ports.js'

/** The metrics of several processes that serve as one. */
export interface MetricsOfAll {
  /** Tells how this process measures itself. */
  measureBy(own: () => Promise<unknown[]>): void
  /** The metrics of each process, this one among them. */
  ofAll(): Promise<unknown[][]>
}

type Labels = Readonly<Record<string, string | number>>

interface Value {
  readonly value: number
  readonly labels: Labels
  readonly metricName?: string
}

interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  values(measured: Measured): Value[]
  /** How the values of several processes become one; without it they are added. */
  readonly aggregator?: 'max' | 'sum'
}

const one = (value: number, labels: Labels = {}): Value => ({ value, labels })

/** One series as Prometheus has histograms: each bucket holds all that are smaller. */
function histogramOf({ surface, route, method, buckets, seconds }: RequestSeries): Value[] {
  const labels = { surface, route, method }
  const name = 'slugline_request_duration_seconds'
  const values: Value[] = []
  let sum = 0
  for (const [i, count] of buckets.entries()) {
    sum += count
    values.push({
      metricName: `${name}_bucket`,
      labels: { ...labels, le: latencyBounds[i] ?? '+Inf' },
      value: sum,
    })
  }
  values.push({ metricName: `${name}_sum`, labels, value: seconds })
  values.push({ metricName: `${name}_count`, labels, value: sum })
  return values
}

const families: readonly Family[] = [
  {
    name: 'slugline_requests_total',
    help: 'Answered requests by surface, route pattern, method and status.',
    type: 'counter',
    values: ({ requests }) =>
      requests.flatMap(({ surface, route, method, statuses }) =>
        [...statuses].map(([status, value]) => one(value, { surface, route, method, status })),
      ),
  },
  {
    name: 'slugline_request_duration_seconds',
    help: 'Time to the head of the answer.',
    type: 'histogram',
    values: ({ requests }) => requests.flatMap(histogramOf),
  },
  {
    name: 'slugline_pages_total',
    help: 'Pages by where they came from: memory, or built from their rows.',
    type: 'counter',
    values: ({ pages: { memory, built } }) => [
      one(memory, { from: 'memory' }),
      one(built, { from: 'built' }),
    ],
  },
  {
    name: 'slugline_statements_total',
    help: 'Statements, outside of writing transactions and in them.',
    type: 'counter',
    values: ({ statements: { read, write } }) => [one(read, { kind: 'read' }), one(write, { kind: 'write' })],
  },
  {
    name: 'slugline_webhook_attempts_total',
    help: 'Attempts to deliver, by the state in which they left the delivery.',
    type: 'counter',
    values: ({ deliveries }) => [...deliveries].map(([state, value]) => one(value, { state })),
  },
  {
    name: 'slugline_webhook_queue_age_seconds',
    help: 'How long the delivery that is most overdue has waited.',
    type: 'gauge',
    aggregator: 'max',
    values: ({ queueAgeSeconds }) => (queueAgeSeconds === undefined ? [] : [one(queueAgeSeconds)]),
  },
  {
    name: 'slugline_backup_age_seconds',
    help: 'How old the newest complete backup is.',
    type: 'gauge',
    aggregator: 'max',
    values: ({ backupAgeSeconds }) => (backupAgeSeconds === undefined ? [] : [one(backupAgeSeconds)]),
  },
  {
    name: 'slugline_processes',
    help: 'Processes that serve: the workers, or one.',
    type: 'gauge',
    values: () => [one(1)],
  },
  {
    name: 'slugline_instances',
    help: 'Running instances on this database, by version and role.',
    type: 'gauge',
    aggregator: 'max',
    values({ instances = [] }) {
      const counts = new Map<string, number>()
      for (const { version, role } of instances) {
        const labels = JSON.stringify({ version, role })
        counts.set(labels, (counts.get(labels) ?? 0) + 1)
      }
      return [...counts].map(([labels, count]) => one(count, JSON.parse(labels)))
    },
  },
  {
    name: 'slugline_clock_ahead_seconds',
    help: "How far this machine's clock is ahead of the database's.",
    type: 'gauge',
    aggregator: 'max',
    values: ({ clockAheadSeconds }) => [one(clockAheadSeconds)],
  },
  {
    name: 'slugline_replica_lag_seconds',
    help: 'How far the standby or replica that this instance reads is behind.',
    type: 'gauge',
    aggregator: 'max',
    values: ({ replicaLagMs }) => (replicaLagMs === undefined ? [] : [one(replicaLagMs / 1000)]),
  },
  {
    name: 'slugline_database_connections',
    help: 'Connections of the pool, and who waits for one.',
    type: 'gauge',
    values: ({ pool }) =>
      pool
        ? [
            one(pool.used, { state: 'used' }),
            one(pool.free, { state: 'free' }),
            one(pool.waiting, { state: 'waiting' }),
          ]
        : [],
  },
]

/** The address of metrics. A port alone is on loopback, because metrics need no sign-in. */
function addressOf(text: string): { host: string; port: number } {
  const at = text.lastIndexOf(':')
  const host = text.slice(0, Math.max(at, 0)).replace(/^\[|\]$/g, '')
  return { host: host || '127.0.0.1', port: Number(text.slice(at + 1)) }
}

/**
 * Answers `GET /metrics` on a port of its own, without sign-in.
 * @throws ConfigError when it cannot listen there
 */
export async function listenForMetrics(
  address: string,
  expose: () => Promise<Exposition>,
  log: Log,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    const fail = (status: number) => void response.writeHead(status).end()
    if (request.url?.split('?', 1)[0] !== '/metrics') return fail(404)
    if (request.method !== 'GET' && request.method !== 'HEAD') return fail(405)
    return void expose().then(
      ({ type, text }) => response.writeHead(200, { 'Content-Type': type }).end(text),
      error => {
        log.error({ err: error }, 'metrics could not be read')
        fail(500)
      },
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      reject(
        new ConfigError(
          `metrics_port: ${address}: the service cannot listen on it (${code})`,
          'metrics_port',
        ),
      ),
    )
    server.listen(addressOf(address), resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function register(
  registry: Registry,
  { name, help, type, values, aggregator = 'sum' }: Family,
  read: () => Promise<Measured>,
): void {
  const family = {
    name,
    get: async () => ({ name, help, type, values: values(await read()), aggregator }),
  }
  // The registry asks a metric for its name and its values; its own classes count by themselves.
  registry.registerMetric(family as unknown as Metric)
}

/**
 * Metrics in the text format of Prometheus, with those of the process that its client knows: memory, processor time,
 * garbage collection and the lag of the event loop. The client is loaded when they are asked for the first time.
 * @param workers the processes whose metrics are added up, if there are several
 */
export function exposition(
  measure: () => Promise<Measured>,
  workers?: MetricsOfAll,
): () => Promise<Exposition> {
  let loading: Promise<Registry> | undefined
  let measuring: Promise<Measured> | undefined
  const load = async () => {
    const { Registry, collectDefaultMetrics } = (await import('prom-client')).default
    const registry = new Registry()
    collectDefaultMetrics({ register: registry })
    for (const family of families) register(registry, family, () => (measuring ??= measure()))
    return registry
  }
  async function read<T>(from: (registry: Registry) => Promise<T>): Promise<T> {
    loading ??= load()
    try {
      return await from(await loading)
    } finally {
      measuring = undefined
    }
  }
  if (!workers)
    return () => read(async registry => ({ type: registry.contentType, text: await registry.metrics() }))
  workers.measureBy(() => read(registry => registry.getMetricsAsJSON()))
  return async () => {
    const { AggregatorRegistry } = (await import('prom-client')).default
    const all = AggregatorRegistry.aggregate(await workers.ofAll())
    return { type: all.contentType, text: await all.metrics() }
  }
}
