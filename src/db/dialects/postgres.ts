import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
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
  type Session,
} from './dialect.js'
import { failureOf } from './driver-error.js'
import { postgresFullText } from './full-text.js'
import type { Query } from './held-connection.js'
import { connectAmong, type Servers } from './hosts.js'
import { limiterInTable, type TryTable } from './rate-limiter.js'
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

const lock = 7_305_264_801

const milliseconds = "floor(date_part('epoch', clock_timestamp()) * 1000)"

const tryTable = (read: Session): TryTable => ({
  async count(key, windowMs, n) {
    const [row] = await read.all(
      `insert into auth_limits as l (key, points, expire)
        select ?, ?::integer, t.now + t.length from (select ${milliseconds}::bigint as now, ?::bigint as length) t
        on conflict (key) do update set
          points = excluded.points + case when l.expire <= excluded.expire - ? then 0 else l.points end,
          expire = case when l.expire <= excluded.expire - ? then excluded.expire else least(l.expire, excluded.expire) end
        returning points, expire - ${milliseconds}::bigint as left_ms`,
      [key, n, windowMs, windowMs, windowMs],
    )
    return { points: Number(row?.points), leftMs: Math.max(0, Number(row?.left_ms)) }
  },
  removeOld: () => read.run(`delete from auth_limits where expire < ${milliseconds} - 3600000`, []),
})

interface Connection extends DriverConnection {
  readonly connection: { readonly stream: Socket }
}

/** The server gives up first, so that the connection need not be. */
const timeouts = { statement_timeout: statementTimeoutMs - 500, idle_in_transaction_session_timeout: 15_000 }

/**
 * How far the standby is behind by its last transaction, and what it has received by now. A primary on which nothing
 * happens has no transactions, so a standby that has replayed everything is not behind.
 */
const lag = `select pg_last_wal_receive_lsn() as received, case
  when not pg_is_in_recovery() or pg_last_wal_receive_lsn() <= pg_last_wal_replay_lsn() then 0
  else floor(date_part('epoch', clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000) end as lag_ms`

/** After this time a standby that keeps up has replayed what it had just received, in milliseconds. */
const replayMs = 200

async function lagOf(read: Session): Promise<number> {
  const [row] = await read.all(lag, [])
  const lagMs = row?.lag_ms == null ? Number.POSITIVE_INFINITY : Number(row.lag_ms)
  if (lagMs <= replayMs || row?.received == null) return lagMs
  // After a quiet time the last transaction is old, while the next one has just arrived.
  await sleep(replayMs)
  const [later] = await read.all('select pg_last_wal_replay_lsn() >= ?::pg_lsn as has', [
    String(row.received),
  ])
  return later?.has === true ? replayMs : lagMs
}

/**
 * Compiling a statement takes the server longer than it saves: 50 of 70 ms for a sorted list of 10,000 trees. It compiles
 * where it expects much work, which counts subqueries that are never run.
 */
const compiling = { jit: 'off' }

/** One after the other, in one statement: what holds for the transaction. */
const localSettings = Object.entries({ ...timeouts, ...compiling })
  .map(([name, value]) => `set local ${name} = ${value}`)
  .join('; ')

const [lockPauseMs, lockTimeoutMs] = [100, 600_000]

/**
 * Runs `work` while a transaction holds the lock, which a pooler keeps on one connection as it does nothing else. A
 * blocking wait would hold a connection of the pooler that `work` needs, so others ask now and then (D-523).
 */
async function whileLocked<T>(
  onOneConnection: <R>(use: (held: { query: Query }) => Promise<R>) => Promise<R>,
  work: () => Promise<T>,
): Promise<T> {
  const isFree = `select pg_try_advisory_xact_lock(${lock}) as held`
  for (const until = Date.now() + lockTimeoutMs; ; await sleep(lockPauseMs)) {
    const done = await onOneConnection(async ({ query }) => {
      await query('begin')
      try {
        await query('set local idle_in_transaction_session_timeout = 0; set local statement_timeout = 0')
        const { rows } = (await query(isFree)) as { rows: RawRow[] }
        return rows[0]?.held === true ? { result: await work() } : undefined
      } finally {
        await query('rollback').catch(() => undefined)
      }
    })
    if (done) return done.result
    if (Date.now() > until) throw new Error('another instance holds the lock of the migrations')
  }
}

interface Address extends Servers {
  user: string
  password: string
  database: string
  /** True if a pooler such as PgBouncer is in between, which gives a connection to each transaction. */
  pooler: boolean
}

function poolTo({ hosts, state, pooler, ...account }: Address, connections: Connections<Connection>) {
  const knex = knexFactory({
    client: 'pg',
    connection: {
      ...account,
      ...hosts[0],
      application_name: 'slugline',
      // A pooler refuses them, or gives the connection to somebody else with them.
      ...(pooler ? {} : { ...timeouts, options: `-c jit=${compiling.jit}` }),
      connectionTimeoutMillis: connectTimeoutMs / hosts.length,
    },
    pool: poolOf<Connection>(connections),
    compileSqlOnError: false,
    acquireConnectionTimeout,
    log: quietKnex,
  })
  connectAmong<Connection>(
    knex,
    { hosts, state },
    {
      async isReadOnly(connection) {
        const { rows } = (await connection.query('show transaction_read_only')) as { rows: RawRow[] }
        return rows[0]?.transaction_read_only === 'on'
      },
      destroy: connection => connections.destroy(connection),
      classify,
    },
  )
  return knex
}

export function postgres(address: Address): Dialect {
  const { pooler } = address
  const connections = new Connections<Connection>(({ connection }) => connection.stream)
  const knex = poolTo(address, connections)
  const sessions = serverSessions({
    knex,
    connections,
    classify,
    rowsOf: answer => (answer as { rows: RawRow[] }).rows,
    ...(pooler ? { limits: [localSettings] } : {}),
    liftLimit: 'set local statement_timeout = 0',
    schemaName: 'current_schema()',
    milliseconds,
  })
  return {
    name: 'postgres',
    knex,
    read: sessions.read,
    transaction: sessions.transaction,
    snapshot: (work, long) =>
      sessions.snapshot(
        ['begin isolation level repeatable read read only', ...(pooler ? [localSettings] : []), 'select 1'],
        work,
        long,
      ),
    tableNames: sessions.tableNames,
    schema: sessions.schema,
    withMigrationLock: work => connections.withoutLimit(() => whileLocked(sessions.onOneConnection, work)),
    async raiseVersion(session) {
      const [row] = await session.all(
        "update counters set value = value + 1 where name = 'changes' returning value",
        [],
      )
      return Number(row?.value ?? 0)
    },
    externalVersion: sessions.externalVersion,
    time: sessions.time,
    lagMs: () => lagOf(sessions.read),
    cheapToRead: false,
    isShared: false,
    propagationDelayMs: 1000,
    rateLimiter: (points, duration) => limiterInTable({ points, duration }, tryTable(sessions.read)),
    classify: failureOf,
    pool: sessions.pool,
    close: () => connections.close(() => knex.destroy()),
    type: kind => types[kind],
    tableSuffix: '',
    inlineIndexes: false,
    ...repeatableIndexes,
    fullText: postgresFullText,
    quote: name => `"${name}"`,
  }
}
