import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { migrations } from '../migrations/index.js'
import { createApp } from './app.js'
import type { Config } from './config.js'
import { connect, untilAnswering } from './db/connect.js'
import { Database } from './db/database.js'
import type { Dialect } from './db/dialects/dialect.js'
import { migrate } from './db/migrate.js'
import { duration } from './durations.js'
import { createIds, type Ids, timestamp } from './ids.js'
import type { Ports, RateLimiter } from './ports.js'
import { bootstrap, type FirstAdministrator } from './services/bootstrap.js'
import { createServices, type Services } from './services/index.js'

/** How long a stop waits for requests that run, in milliseconds. */
const stopPatience = 10_000
/** The same for deliveries: a little more than an attempt takes that nobody answers. */
const deliveryPatience = 12_000
/** How long a body may come that nobody reads, in milliseconds. */
const bodyPatience = 30_000
/** How often one address may use the endpoints that sign in (5.5), and one user those that call out. */
const [authTries, authSeconds] = [10, 60]
/** How often the permissions of roles are read again (5.6 rule 4), in milliseconds. */
const accessRefresh = 60_000
/** How often planned publications are looked for, in milliseconds. */
const planInterval = 2000
/** How often expired sessions are removed, in milliseconds. */
const expiryInterval = 3_600_000

export const version: string = JSON.parse(
  readFileSync(
    new URL(import.meta.url.includes('/dist/') ? '../../package.json' : '../package.json', import.meta.url),
    'utf8',
  ),
).version

export interface Options {
  config: Config
  ports: Ports
  variables: Record<string, string | undefined>
  /** Counts tries instead of the database. */
  rateLimiter?: RateLimiter
  /**
   * Called as soon as the first administrator is stored: the password is known to nobody else, and what fails
   * afterwards, as a port that is taken, must not lose it.
   */
  administratorMade?: (administrator: FirstAdministrator) => void
}

export interface Opened {
  db: Database
  /** The configuration that is in effect. */
  config: () => Config
  /** Makes what counts the tries of one instance. */
  newRateLimiter: () => RateLimiter
  services: Services
  ids: Ids
}

/** The database and the services over it, migrated and seeded: all of the product but its listeners. */
export async function open(options: Options): Promise<Opened> {
  const { config, ports, variables, administratorMade } = options
  const { clock, random, log } = ports
  const dialect: Dialect = await connect(config)
  try {
    await untilAnswering(dialect, log)
    const now = () => timestamp(clock.now())
    const steps = await migrate(dialect, migrations, { now })
    if (steps.length > 0) log.info({ steps: steps.length }, 'the database was brought up to date')
    const ids = createIds(clock, random)
    const live = { current: config }
    const db = new Database(dialect, { clock, ids, log, webhooksEnabled: () => live.current.webhook_enabled })
    // From here on every change of another instance is news.
    await db.externalChangesNow()
    const newRateLimiter = () => dialect.rateLimiter(authTries, authSeconds)
    const rateLimiter = options.rateLimiter ?? newRateLimiter()
    const services = createServices({ db, ports, live, variables, ids, rateLimiter })
    const administrator = await bootstrap(db, ports, {
      email: variables.CMS_ADMIN_EMAIL,
      password: variables.CMS_ADMIN_PASSWORD,
    })
    if (administrator) administratorMade?.(administrator)
    if (config.publish_mode === 'live') await services.releaseWaiting()
    return {
      db,
      config: () => live.current,
      newRateLimiter,
      services,
      ids,
    }
  } catch (error) {
    await dialect.close()
    throw error
  }
}

const listenAddress = (text: string): { host?: string; port: number } => {
  const at = text.lastIndexOf(':')
  const host = text.slice(0, Math.max(at, 0)).replace(/^\[|\]$/g, '')
  const port = Number(text.slice(at + 1))
  return host ? { host, port } : { port }
}

const isRead = (method: string) => method === 'GET' || method === 'HEAD'

/** Whether a body is announced; headers are looked at as they came, for this is done for every page. */
function hasBody(rawHeaders: readonly string[]): boolean {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (
      (name.length === 14 && name.toLowerCase() === 'content-length') ||
      (name.length === 17 && name.toLowerCase() === 'transfer-encoding')
    )
      return true
  }
  return false
}

/** Nobody reads such a body, so that it could hold its socket for as long as it comes. */
function limitUnread(incoming: { readonly complete: boolean; readonly socket: { destroy(): void } }): void {
  setTimeout(() => {
    if (!incoming.complete) incoming.socket.destroy()
  }, bodyPatience).unref()
}

export interface Running extends Opened {
  /** The port that HTTP listens on. */
  port: number
  /** Stops accepting, lets running requests finish, and closes the database. */
  stop(): Promise<void>
}

/** Opens everything and listens. When it resolves the service is ready. */
export async function start(options: Options): Promise<Running> {
  const { config, ports } = options
  const opened = await open(options)
  const { db, services, ids } = opened
  const app = createApp({ services, ports, ids, config: opened.config, version })
  const server = createAdaptorServer({
    fetch: (request, { incoming }) => {
      if (isRead(request.method) && hasBody(incoming.rawHeaders)) limitUnread(incoming)
      // An IPv4 peer of a socket that speaks both is called by its IPv4 address.
      const address = incoming.socket.remoteAddress
      return app.fetch(request, { address: address?.startsWith('::ffff:') ? address.slice(7) : address })
    },
    serverOptions: {
      headersTimeout: 15_000,
      // An upload may take long as long as it comes; what reads a body looks after its time itself.
      requestTimeout: 3_600_000,
      keepAliveTimeout: 10_000,
      connectionsCheckingInterval: 5000,
      maxHeaderSize: 16_384,
    },
  }) as Server
  server.maxConnections = 10_000

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(listenAddress(config.port), resolve)
  }).catch(async error => {
    await db.close()
    throw error
  })
  db.watch()
  const every = (interval: number, failure: string, work: () => Promise<void>) => {
    const timer = setInterval(() => {
      work().catch(error => ports.log.warn({ err: error }, failure))
    }, interval)
    return timer.unref()
  }
  const runPlans = async () => {
    await services.space.publishing.runDue()
    await services.adminSpace.publishing.runDue()
  }
  // What was due while no instance was alive is done now.
  runPlans().catch(error => ports.log.warn({ err: error }, 'what was planned could not be done'))
  // Deliveries are sent as soon as they are due; the scan finds retries, and what other instances left behind.
  db.onCommit(({ deliveries }) => {
    if (deliveries > 0) services.delivery.soon()
  })
  const deliver = () => services.delivery.run()
  deliver().catch(error => ports.log.warn({ err: error }, 'deliveries could not be sent'))
  const timers = [
    every(duration(config.webhook_scan_interval), 'deliveries could not be sent', deliver),
    every(accessRefresh, 'permissions could not be read again', () => services.access.refresh()),
    every(planInterval, 'what was planned could not be done', runPlans),
    every(expiryInterval, 'what has expired could not be removed', () => services.removeExpired()),
  ]

  return {
    ...opened,
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const timer of timers) clearInterval(timer)
      const delivered = services.delivery.stop(deliveryPatience)
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeIdleConnections()
      const late = setTimeout(() => server.closeAllConnections(), stopPatience)
      await closed
      clearTimeout(late)
      await delivered
      await services.settle()
      await db.close()
    },
  }
}
