import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrations as ownMigrations } from '../migrations/index.js'
import type { AppParts } from './app.js'
import { type Config, tlsSource } from './config.js'
import { connect, untilAnswering } from './db/connect.js'
import { Database } from './db/database.js'
import type { Dialect } from './db/dialects/dialect.js'
import { migrate, stepsOf } from './db/migrate.js'
import { firstUsedTable } from './db/restore.js'
import type { Migration } from './db/schema.js'
import { SiteClock } from './db/site-clock.js'
import { tables } from './db/tables.js'
import { duration } from './durations.js'
import { ConfigError } from './errors.js'
import { createIds, type Ids, timestamp } from './ids.js'
import { connectionLimit } from './node/descriptors.js'
import { removeLeftoverFiles } from './node/temporary-files.js'
import { version } from './node/version.js'
import type { Log, Ports, RateLimiter } from './ports.js'
import { bootstrap, type FirstAdministrator } from './services/bootstrap.js'
import { createServices, type Services } from './services/index.js'
import { readSettings, withStoredSettings } from './services/operation/settings.js'

const [maxTries, triesSeconds] = [10, 60]

export interface Options {
  config: Config
  ports: Ports
  variables: Record<string, string | undefined>
  onlyExisting?: boolean
  /** Opens the database as a start has left it: nothing is migrated, seeded or created; missing parts are refused. */
  asItIs?: boolean
  /** Puts the clock right by that of the database server, which all instances share. */
  followsDatabaseClock?: boolean
  /** The migrations that this instance knows, in place of those of this version. */
  migrations?: readonly Migration[]
  rateLimiter?: RateLimiter
  /**
   * Shows the first administrator before it is stored: nobody else knows the password, and a later failure, such
   * as a port that is taken, must not lose it. When it throws, there is no administrator.
   */
  showAdministrator?: (administrator: FirstAdministrator) => void
  /** Where the host key of the terminal is, or is made; without it none is served. */
  hostKeyFile?: string
  /** Whether this process serves what exists once: the terminal, and metrics on a port of their own. */
  isFirst?: boolean
}

export interface Opened {
  db: Database
  config: () => Config
  newRateLimiter: () => RateLimiter
  services: Services
  ids: Ids
  ports: Ports
}

const startOrRestore =
  'start the service (slugline serve), or repeat a restore that was interrupted (slugline backup restore)'

/** @throws ConfigError for a database that no start of this version has made ready */
async function refuseUnready(
  { dialect, migrations }: { dialect: Dialect; migrations: readonly Migration[] },
  db: Database,
  services: Services,
): Promise<void> {
  const refuse = (sentence: string) => new ConfigError(`db_url: ${sentence}`, 'db_url')
  const { done, missing, refused } = await stepsOf(dialect, migrations)
  if (refused !== undefined)
    throw refuse(`the database was migrated by a newer version (step ${refused}): start that version`)
  if (done.length === 0)
    throw refuse(
      'the database is empty: start the service (slugline serve), or restore a backup (slugline backup restore)',
    )
  const isUsed = (await firstUsedTable(dialect, dialect.read)) !== undefined
  if (missing.length > 0)
    throw refuse(
      `pending migrations: ${missing.length}${isUsed ? ' (start the service, or run slugline migrate up)' : `, and there is no account: ${startOrRestore}`}`,
    )
  if (!(await db.exists(tables.users, {}))) throw refuse(`the database has no account: ${startOrRestore}`)
  if (!(await services.hasIndexes()))
    throw refuse('the index of published entries is missing: start the service (slugline serve) once')
}

/** How long an instance that only reads waits at its start for what one that writes prepares, in milliseconds. */
const [preparedTimeoutMs, preparedIntervalMs] = [60_000, 500]

/** Repeats a check of the database until it passes. @throws ConfigError of the check after a minute */
async function untilPrepared(check: () => Promise<void>, log: Log): Promise<void> {
  const until = performance.now() + preparedTimeoutMs
  for (let isNoted = false; ; await sleep(preparedIntervalMs))
    try {
      return await check()
    } catch (error) {
      if (!(error instanceof ConfigError) || performance.now() > until) throw error
      if (!isNoted) log.warn({ reason: error.message }, 'the database is not ready for this instance yet')
      isNoted = true
    }
}

/** @throws ConfigError when an instance that writes has not brought the database to the schema of this version */
async function refuseOlderSchema(dialect: Dialect, migrations: readonly Migration[]): Promise<void> {
  const { missing, refused } = await stepsOf(dialect, migrations)
  const [first] = missing
  // Waiting changes nothing about that.
  if (refused) throw new Error(`the database was migrated by a newer version: it has the step ${refused}`)
  if (first === undefined) return
  throw new ConfigError(
    `db_read_only: the database has no step ${first} (${missing.length} are missing): first start an instance of this version that writes`,
    'db_read_only',
  )
}

/**
 * The configuration with the settings of the database for the fields that the file does not name. A database that no
 * start has made ready has none.
 */
async function withSettings(
  db: Database,
  dialect: Dialect,
  { config, ports, variables, asItIs = false, migrations = ownMigrations }: Options,
): Promise<{ current: Config; settings: Record<string, unknown> }> {
  if (asItIs && (await stepsOf(dialect, migrations)).missing.length > 0)
    return { current: config, settings: {} }
  const { values, unreadable } = await readSettings(db, config.app_secret)
  const inFile: Record<string, unknown> = JSON.parse((await ports.configFile.read()) ?? '{}')
  const applied = withStoredSettings(config, { inFile, values }, variables)
  if (!asItIs) {
    if (unreadable.length > 0)
      ports.log.error(
        { fields: unreadable },
        'settings were encrypted with another app_secret: set them again',
      )
    for (const { message, field } of applied.refused)
      ports.log.error(
        { field, reason: message },
        'a setting conflicts with the configuration file: it is ignored',
      )
    if (applied.fixed.length > 0)
      ports.log.warn({ fields: applied.fixed }, 'the configuration file overrides these stored settings')
  }
  return { current: applied.config, settings: values }
}

/** The database and the services over it, migrated and seeded: all of the product but its listeners. */
export async function open(options: Options): Promise<Opened> {
  const { config, variables, showAdministrator, migrations = ownMigrations } = options
  const { db_read_only: readOnly } = config
  // An instance that only reads finds the database as one that writes has left it.
  const asItIs = options.asItIs || readOnly
  const { random, log } = options.ports
  const dialect: Dialect = await connect(config, options)
  const clock = new SiteClock(options.ports.clock, options.followsDatabaseClock ? dialect.time : undefined)
  const ports = { ...options.ports, clock }
  try {
    await untilAnswering(dialect, config, log)
    await clock.compare()
    if (readOnly) {
      await untilPrepared(() => refuseOlderSchema(dialect, migrations), log)
      // An account that may not ask is refused now.
      await dialect.lagMs?.()
    }
    const now = () => timestamp(clock.now())
    const bringUp = () => migrate(dialect, migrations, { now })
    const steps = asItIs ? [] : await bringUp()
    if (steps.length > 0) log.info({ steps: steps.length }, 'the database was brought up to date')
    const ids = createIds(clock, random)
    const live = { current: config, settings: {} }
    const webhooksEnabled = () => live.current.webhook_enabled
    const db = new Database(dialect, { clock, ids, log, tracing: ports.tracing, webhooksEnabled })
    if (!options.asItIs) await db.begin()
    Object.assign(live, await withSettings(db, dialect, options))
    const newRateLimiter = () => dialect.rateLimiter(maxTries, triesSeconds)
    const rateLimiter = options.rateLimiter ?? newRateLimiter()
    const isMigrated = async () => {
      const { missing, refused } = await stepsOf(dialect, migrations)
      return missing.length === 0 && refused === undefined
    }
    const finishMigrating = async () => {
      if ((await stepsOf(dialect, migrations)).waiting.length === 0) return
      const finished = await bringUp()
      if (finished.length > 0)
        log.info({ steps: finished.length }, 'migrations that waited for older instances are complete')
    }
    const schema = migrations.map(({ name }) => name)
    const parts = { db, ports, live, variables, ids, clock, rateLimiter, version, schema }
    const schemaParts = { isMigrated, finishMigrating }
    const services = createServices({ ...parts, ...schemaParts })
    const refuse = () => refuseUnready({ dialect, migrations }, db, services)
    if (readOnly && !options.asItIs) await untilPrepared(refuse, log)
    else if (asItIs) await refuse()
    if (options.asItIs) await db.externalChangesNow()
    if (!asItIs) {
      const given = { ...variables, defaultLocale: live.current.i18n_default_locale }
      await bootstrap(db, ports, given, showAdministrator)
      await services.fillIndexes()
      if (live.current.publish_mode === 'live') await services.publishPending()
    }
    return {
      db,
      config: () => live.current,
      newRateLimiter,
      services,
      ids,
      ports,
    }
  } catch (error) {
    await dialect.close()
    throw error
  }
}

interface Listeners {
  /** The terminal over SSH, where it is served. */
  ssh?: { readonly port: number; readonly fingerprint: string }
  port: number
  sslPort?: number
}

export interface Running extends Opened, Listeners {
  /** Is not ready any more, stops accepting, lets running requests finish, and closes the database. */
  stop(): Promise<void>
}

/** An address to listen on. In a container it has no host, because published ports do not reach loopback addresses. */
const addressIn = (environment: string, address: string): string =>
  environment.endsWith('-docker') ? address.slice(address.lastIndexOf(':') + 1) : address

const closingMs = 2000
/** As long as listeners take for requests that are running. */
const stoppingMs = 15_000

/** Closes what a start has opened before it failed. What fails or hangs meanwhile hides no reason. */
async function closeAll(
  closing: readonly (() => Promise<unknown> | undefined)[],
  ms = closingMs,
): Promise<void> {
  const closed = Promise.allSettled(closing.map(async close => close()))
  await Promise.race([closed, sleep(ms, undefined, { ref: false })])
}

/** Metrics on a port of their own, where there is to be one. */
async function metricsListener({ services }: Opened, { config, ports, isFirst = true }: Options) {
  if (config.metrics_port === undefined || !isFirst) return undefined
  const { listenForMetrics } = await import('./node/metrics.js')
  const expose = ports.exposition(() => services.metrics.measure())
  return listenForMetrics(config.metrics_port, expose, ports.log)
}

/** The terminal over SSH, where it is wanted and has a key. */
async function sshListener({ services, ids, config }: Opened, options: Options) {
  const { config: at, ports, hostKeyFile, isFirst = true } = options
  // Where nobody can sign in, a balancer has to find the port closed.
  if (hostKeyFile === undefined || !at.ssh_enabled || !isFirst || at.db_read_only) return undefined
  const { clock, log, publicKeys } = ports
  const { hostKey } = await import('./ssh/host-key.js')
  const key = hostKey(hostKeyFile, log)
  if (!key) return undefined
  const { listenForSsh } = await import('./ssh/server.js')
  const listener = await listenForSsh(addressIn(at.environment, at.ssh_port), {
    site: { services, clock, log, config, newRequestId: () => ids.ulid() },
    publicKeys,
    hostKey: key,
    limits: {
      inAll: () => config().ssh_max_sessions,
      idleMs: () => duration(config().ssh_idle_timeout),
    },
  })
  return { ...listener, fingerprint: key.fingerprint }
}

/** The parts that only a service needs that listens: a command that opens a site starts sooner without them. */
async function listeningParts() {
  const [{ createApp }, { startBackgroundWork }, { answeringFailures }, { listen }] = await Promise.all([
    import('./app.js'),
    import('./background.js'),
    import('./middleware/unforeseen.js'),
    import('./node/http-listener.js'),
  ])
  return { createApp, startBackgroundWork, answeringFailures, listen }
}

/** The commands for other machines, loaded when the first one calls. */
const commands: NonNullable<AppParts['commands']> = async (...context) =>
  (await import('./cli/remote/surface.js')).commandSurface(...context)

/** Opens everything and listens. When it resolves the service is ready. */
export async function start(given: Options): Promise<Running> {
  const { config } = given
  const { createApp, startBackgroundWork, answeringFailures, listen } = await listeningParts()
  const maxConnections = connectionLimit()
  const opened = await open({ followsDatabaseClock: true, ...given })
  const { db, services, ids, ports } = opened
  const options = { ...given, ports }
  const app = createApp({ services, ports, ids, config: opened.config, version, commands })
  const fetch = answeringFailures(app.fetch, ports.log)
  const arrived = () => db.requestArrived()
  const addressOf = (field: 'port' | 'ssl_port') => addressIn(config.environment, config[field])
  const listening = async (): Promise<Listeners & { stop(): Promise<void> }> => {
    if (tlsSource(config) === 'off')
      return listen(addressOf('port'), fetch, { log: ports.log, maxConnections, arrived })
    const { listenSecurely } = await import('./server-tls.js')
    return listenSecurely({
      config: opened.config,
      ports,
      services,
      fetch,
      arrived,
      maxConnections,
      addressOf,
    })
  }
  const failed = (...listeners: ({ stop(): Promise<void> } | undefined)[]) => {
    return async (error: unknown): Promise<never> => {
      // Requests that came meanwhile are answered by a database that is open.
      await closeAll(
        listeners.map(one => () => one?.stop()),
        stoppingMs,
      )
      await closeAll([() => db.close()])
      throw error
    }
  }
  const metrics = await metricsListener(opened, options).catch(failed())
  const listener = await listening().catch(failed(metrics))
  const ssh = await sshListener(opened, options).catch(failed(metrics, listener))
  // It serves already: a database that fails now is one that fails later. The next report is due in seconds.
  await services.instances
    .begin({ host: hostname(), pid: process.pid, role: 'instance' })
    .catch(error => ports.log.warn({ err: error }, 'this instance could not report that it is running'))
  removeLeftoverFiles().catch(error =>
    ports.log.warn({ err: error }, 'temporary files of earlier processes could not be removed'),
  )
  const background = startBackgroundWork({ ...opened, config: opened.config() }, ports.log)
  return {
    ...opened,
    port: listener.port,
    ...(listener.sslPort === undefined ? {} : { sslPort: listener.sslPort }),
    ...(ssh && { ssh }),
    async stop() {
      services.health.stop()
      await sleep(config.stop_delay_seconds * 1000)
      services.changeStreams.stop()
      await Promise.all([background.stop(), listener.stop(), metrics?.stop(), ssh?.stop()])
      await services.settle()
      await services.instances
        .end()
        .catch(error => ports.log.warn({ err: error }, 'the end of this instance could not be stored'))
      await db.close()
      await ports.tracing?.stop()
    },
  }
}
