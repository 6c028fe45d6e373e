import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.js'
import { ConfigError, readOnlyInstance } from '../errors.js'
import type { Log } from '../ports.js'
import type { Dialect } from './dialects/dialect.js'
import { DriverError } from './dialects/driver-error.js'
import { type ServerState, type Servers, serverStates } from './dialects/hosts.js'
import { limiterInMemory } from './dialects/rate-limiter.js'

export type DatabaseAddress = Pick<
  Config,
  'db_driver' | 'db_url' | 'db_name' | 'db_username' | 'db_password'
> &
  Partial<Pick<Config, 'db_pooler' | 'db_read_only' | 'workers'>>

const answerTimeoutMs = 30_000

interface ServerAddress extends Servers {
  user: string
  password: string
  database: string
}

const stateParameter = 'target_session_attrs'

/** Returns a URL for each host of a list, such as `postgres://u@one:5432,two/db`, which `URL` does not know. */
function urlsOf(given: string, scheme: string): URL[] {
  const whole = given.includes('://') ? given : `${scheme}://${given}`
  const [, before = '', hosts = '', after = ''] =
    /^([^:]*:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(whole) ?? []
  const all = hosts.split(',').map(host => host.trim())
  try {
    if (all.length === 1 || !all.includes('')) return all.map(host => new URL(before + host + after))
    throw new TypeError('a host is empty')
  } catch {
    throw new ConfigError('db_url: must be host:port or a full URL; separate several hosts by commas')
  }
}

/** @throws ConfigError for an unknown state */
function stateIn(url: URL, isList: boolean, readOnly: boolean): ServerState {
  const given = url.searchParams.get(stateParameter)
  const state = serverStates.find(one => one === given)
  if (given !== null && state === undefined)
    throw new ConfigError(`db_url: ${stateParameter} must be ${serverStates.join(', ')}`)
  // One that writes must not stay on a standby that is in the list.
  return state ?? (isList && !readOnly ? 'read-write' : 'any')
}

/**
 * `db_url` may be `host:port` or a full URL, and name several hosts; the other fields fill in its missing parts.
 * @throws ConfigError
 */
export function serverAddress(
  config: DatabaseAddress,
  scheme: string,
  port: number,
  user: string,
): ServerAddress {
  const urls = urlsOf(config.db_url ?? 'localhost', scheme)
  const [url] = urls as [URL]
  const database = decodeURIComponent(url.pathname.slice(1)) || config.db_name
  if (!database) throw new ConfigError('db_name: must be set, or be part of db_url')
  return {
    hosts: urls.map(one => ({
      host: one.hostname.replace(/^\[|\]$/g, ''),
      port: Number(one.port || port),
    })),
    state: stateIn(url, urls.length > 1, config.db_read_only ?? false),
    user: decodeURIComponent(url.username) || config.db_username || user,
    password: decodeURIComponent(url.password) || config.db_password || '',
    database,
  }
}

const addressOf = {
  postgres: (config: DatabaseAddress) => serverAddress(config, 'postgres', 5432, 'postgres'),
  mysql: (config: DatabaseAddress) => serverAddress(config, 'mysql', 3306, 'root'),
}

/** The engine for an instance that only reads: it refuses every change before the database is asked. */
function readingOnly(dialect: Dialect): Dialect {
  const refuse = async () => {
    throw readOnlyInstance()
  }
  return {
    ...dialect,
    isReadOnly: true,
    transaction: refuse,
    withMigrationLock: refuse,
    rateLimiter: (points, duration) => limiterInMemory({ points, duration }),
  }
}

/**
 * The one place that chooses the engine. Drivers are loaded only when they are used.
 * @param onlyExisting refuses to make a database file
 */
export async function connect(
  config: DatabaseAddress,
  options: { onlyExisting?: boolean } = {},
): Promise<Dialect> {
  const dialect = await engineOf(config, options)
  return config.db_read_only ? readingOnly(dialect) : dialect
}

async function engineOf(
  config: DatabaseAddress,
  { onlyExisting = false }: { onlyExisting?: boolean },
): Promise<Dialect> {
  switch (config.db_driver) {
    case 'sqlite': {
      const { sqlite } = await import('./dialects/sqlite.js')
      const isShared = (config.workers ?? 1) > 1
      return sqlite(config.db_url || './modula.db', {
        onlyExisting,
        isShared,
        readOnly: config.db_read_only ?? false,
      })
    }
    case 'postgres': {
      const { postgres } = await import('./dialects/postgres.js')
      return postgres({ ...addressOf.postgres(config), pooler: config.db_pooler ?? false })
    }
    case 'mysql': {
      const { mysql } = await import('./dialects/mysql.js')
      return mysql(addressOf.mysql(config))
    }
  }
}

/** The place of the database without secrets: a file, or a server with the database's name. */
function placeOf(config: DatabaseAddress): string {
  if (config.db_driver === 'sqlite') return resolve(config.db_url || './modula.db')
  const { hosts, database } = addressOf[config.db_driver](config)
  return `${hosts.map(({ host, port }) => `${host}:${port}`).join(',')}/${database}`
}

const fieldsByCode: readonly [RegExp, string][] = [
  [/^(3D000|ER_BAD_DB)/, 'db_name'],
  [/^(28|ER_ACCESS_DENIED|ER_DBACCESS_DENIED)/, 'db_username, db_password'],
]

function reasonOf(error: unknown): string {
  if (!(error instanceof DriverError)) return error instanceof Error ? error.message : String(error)
  return [error.code, error.words].filter(Boolean).join(': ').replaceAll(/\s+/g, ' ')
}

/**
 * Waits for a database that is away, with one line in the log for each try.
 * @throws ConfigError of one line, with the field and the place, when it has not answered for half a minute or refuses
 */
export async function untilAnswering(dialect: Dialect, config: DatabaseAddress, log: Log): Promise<void> {
  for (let wait = 100, waited = 0; ; waited += wait, wait = Math.min(wait * 2, 5000)) {
    try {
      await dialect.read.all('select 1 as one', [])
      return
    } catch (error) {
      const [database, reason] = [placeOf(config), reasonOf(error)]
      if (dialect.classify(error) !== 'unavailable' || waited + wait > answerTimeoutMs) {
        const code = error instanceof DriverError ? error.code : ''
        const field = fieldsByCode.find(([begin]) => begin.test(code))?.[1] ?? 'db_url'
        throw new ConfigError(`${field}: ${database}: ${reason}`)
      }
      log.warn({ database, reason, retry_in_ms: wait }, 'the database does not respond yet')
      await sleep(wait)
    }
  }
}
