import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.js'
import { ConfigError } from '../errors.js'
import type { Log } from '../ports.js'
import type { Dialect } from './dialects/dialect.js'

export type DatabaseAddress = Pick<Config, 'db_driver' | 'db_url' | 'db_name' | 'db_username' | 'db_password'>

/** How long a start waits for a database server that does not answer, in milliseconds. */
const answerTimeoutMs = 30_000

interface ServerAddress {
  host: string
  port: number
  user: string
  password: string
  database: string
}

/** `db_url` may be `host:port` or a full URL; the other fields fill in what it leaves out. */
export function serverAddress(
  config: DatabaseAddress,
  scheme: string,
  port: number,
  user: string,
): ServerAddress {
  const given = config.db_url ?? 'localhost'
  let url: URL
  try {
    url = new URL(given.includes('://') ? given : `${scheme}://${given}`)
  } catch {
    throw new ConfigError('db_url: must be host:port or a full URL')
  }
  const database = decodeURIComponent(url.pathname.slice(1)) || config.db_name
  if (!database) throw new ConfigError('db_name: must be set, or be part of db_url')
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || port),
    user: decodeURIComponent(url.username) || config.db_username || user,
    password: decodeURIComponent(url.password) || config.db_password || '',
    database,
  }
}

/** The one place that chooses the engine. Drivers are loaded only when they are used. */
export async function connect(config: DatabaseAddress): Promise<Dialect> {
  switch (config.db_driver) {
    case 'sqlite': {
      const { sqlite } = await import('./dialects/sqlite.js')
      return sqlite(config.db_url || './modula.db')
    }
    case 'postgres': {
      const { postgres } = await import('./dialects/postgres.js')
      return postgres(serverAddress(config, 'postgres', 5432, 'postgres'))
    }
    case 'mysql': {
      const { mysql } = await import('./dialects/mysql.js')
      return mysql(serverAddress(config, 'mysql', 3306, 'root'))
    }
  }
}

/** @throws the last failure when the database has not answered for half a minute */
export async function untilAnswering(dialect: Dialect, log: Log): Promise<void> {
  for (let wait = 100, waited = 0; ; waited += wait, wait = Math.min(wait * 2, 5000)) {
    try {
      await dialect.read.all('select 1 as one', [])
      return
    } catch (error) {
      if (dialect.classify(error) !== 'unavailable' || waited + wait > answerTimeoutMs) throw error
      log.warn({ err: error, retry_in_ms: wait }, 'the database does not answer yet')
      await sleep(wait)
    }
  }
}
