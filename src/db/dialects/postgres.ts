import type { Socket } from 'node:net'
import type { knex } from 'knex'
import { commonjs } from '../../node/commonjs.js'
import type { Kind } from '../columns.js'
import { Connections, type DriverConnection, statementTimeoutMs } from './connections.js'
import {
  codeOf,
  type Dialect,
  type Failure,
  isUnavailable,
  type RawRow,
  repeatableIndexes,
} from './dialect.js'
import { failureOf } from './driver-error.js'
import { limiterInTable } from './rate-limiter.js'
import { acquireConnectionTimeout, connectTimeoutMs, poolOf, quietKnex, serverSessions } from './servers.js'

const knexFactory: typeof knex = commonjs('knex')

// The C collation compares bytes, as SQLite does.
const types: Record<Kind, string> = {
  id: 'varchar(26) collate "C"',
  text: 'text collate "C"',
  longtext: 'text collate "C"',
  integer: 'integer',
  bigint: 'bigint',
  double: 'double precision',
  boolean: 'smallint',
  time: 'varchar(24) collate "C"',
  json: 'text collate "C"',
  bytes: 'bytea',
}

function classify(error: unknown): Failure {
  const code = codeOf(error)
  if (code === '23505') return 'duplicate'
  if (code === '23503') return 'reference'
  if (code === '40001' || code === '40P01' || code === '55P03') return 'retry'
  if (code === '54000') return 'too-large'
  // A full disk, a standby.
  if (code === '53100' || code === '25006') return 'unwritable'
  if (/^(57P0|08|53|57014|58)/.test(code) || isUnavailable(error)) return 'unavailable'
  return 'unknown'
}

/** The lock of migrations; advisory locks belong to one database and end with their connection. */
const lock = 7_305_264_801

interface Connection extends DriverConnection {
  readonly connection: { readonly stream: Socket }
}

export function postgres(address: {
  connectionString?: string
  host?: string
  port?: number
  user?: string
  password?: string
  database?: string
}): Dialect {
  const connections = new Connections<Connection>(({ connection }) => connection.stream)
  const knex = knexFactory({
    client: 'pg',
    connection: {
      ...address,
      application_name: 'slugline',
      // The server gives up first, so that the connection need not be.
      statement_timeout: statementTimeoutMs - 500,
      idle_in_transaction_session_timeout: 15_000,
      connectionTimeoutMillis: connectTimeoutMs,
    },
    pool: poolOf<Connection>(connection => connections.watch(connection)),
    compileSqlOnError: false,
    acquireConnectionTimeout,
    log: quietKnex,
  })
  const sessions = serverSessions({
    knex,
    connections,
    classify,
    rowsOf: answer => (answer as { rows: RawRow[] }).rows,
    liftLimit: 'set local statement_timeout = 0',
  })
  return {
    name: 'postgres',
    knex,
    read: sessions.read,
    transaction: sessions.transaction,
    snapshot: work =>
      sessions.snapshot(['begin isolation level repeatable read read only', 'select 1'], work),
    withinRequestTime: sessions.withinRequestTime,
    withMigrationLock: work =>
      connections.withoutLimit(() =>
        sessions.onOneConnection(async ({ query }) => {
          await query('set statement_timeout = 0')
          await query(`select pg_advisory_lock(${lock})`)
          try {
            return await work()
          } finally {
            await query(`select pg_advisory_unlock(${lock})`)
            await query('reset statement_timeout')
          }
        }),
      ),
    async raiseVersion(session) {
      const [row] = await session.all(
        "update counters set value = value + 1 where name = 'changes' returning value",
        [],
      )
      return Number(row?.value ?? 0)
    },
    externalVersion: sessions.externalVersion,
    cheapToRead: false,
    propagationDelayMs: 1000,
    rateLimiter: (points, duration) =>
      limiterInTable({ points, duration }, 'RateLimiterPostgres', {
        storeClient: knex,
      }),
    classify: failureOf,
    pool: sessions.pool,
    close: () => connections.close(() => knex.destroy()),
    type: kind => types[kind],
    tableSuffix: '',
    inlineIndexes: false,
    ...repeatableIndexes,
    quote: name => `"${name}"`,
  }
}
