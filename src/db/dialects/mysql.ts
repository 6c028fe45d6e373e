import type { Socket } from 'node:net'
import { promisify } from 'node:util'
import type { knex } from 'knex'
import { ConfigError } from '../../errors.js'
import { commonjs } from '../../node/commonjs.js'
import type { Kind } from '../columns.js'
import { Connections, type DriverConnection } from './connections.js'
import { codeOf, type Dialect, type Failure, isUnavailable, type RawRow, type Session } from './dialect.js'
import { failureOf } from './driver-error.js'
import { mysqlFullText } from './full-text.js'
import { connectAmong, type Servers } from './hosts.js'
import { limiterInTable, type TryTable } from './rate-limiter.js'
import { acquireConnectionTimeout, connectTimeoutMs, poolOf, quietKnex, serverSessions } from './servers.js'

const knexFactory: typeof knex = commonjs('knex')

/** How long a statement waits for a row that another transaction holds: less than its connection may be silent. */
const lockTimeoutSeconds = 3

const ascii = 'character set ascii collate ascii_bin'

/** Collations that compare bytes and do not ignore blanks at the end; the two servers name theirs differently. */
const binaryCollation = (mariadb: boolean) => (mariadb ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin')

function typeOf(kind: Kind, length: number, collation: string): string {
  const utf8 = `character set utf8mb4 collate ${collation}`
  switch (kind) {
    case 'id':
      return `char(26) ${ascii}`
    case 'time':
      return `char(24) ${ascii}`
    case 'text':
      return `varchar(${length}) ${utf8}`
    case 'longtext':
    case 'json':
      return `longtext ${utf8}`
    case 'bytes':
      return 'longblob'
    case 'integer':
      return 'int'
    case 'double':
      return 'double'
    case 'bigint':
      return 'bigint'
    case 'boolean':
      return 'smallint'
  }
}

function classify(error: unknown): Failure {
  const code = codeOf(error)
  if (code === 'ER_DUP_ENTRY') return 'duplicate'
  if (/^ER_(DUP_KEYNAME|DUP_FIELDNAME|CANT_DROP_FIELD_OR_KEY)$/.test(code)) return 'done'
  if (/^ER_(NO_REFERENCED_ROW|ROW_IS_REFERENCED)/.test(code)) return 'reference'
  if (code === 'ER_LOCK_DEADLOCK' || code === 'ER_LOCK_WAIT_TIMEOUT' || code === 'ER_CHECKREAD')
    return 'retry'
  if (code === 'ER_NET_PACKET_TOO_LARGE' || code === 'ER_DATA_TOO_LONG') return 'too-large'
  if (/^ER_(DISK_FULL|RECORD_FILE_FULL|OPTION_PREVENTS|READ_ONLY_MODE)/.test(code)) return 'unwritable'
  // A node of Galera that has left its cluster takes no command.
  if (
    /^ER_(CON_COUNT|SERVER_SHUTDOWN|CONNECTION_KILLED|UNKNOWN_COM_ERROR)/.test(code) ||
    isUnavailable(error)
  )
    return 'unavailable'
  return 'unknown'
}

const milliseconds = 'floor(unix_timestamp(sysdate(3)) * 1000)'

const now = `cast(${milliseconds} as signed)`

const tryTable = ({ read, transaction }: Pick<Dialect, 'read' | 'transaction'>): TryTable => ({
  count: (key, windowMs, n) =>
    transaction(async session => {
      // Columns are set in this order, each from those that are set already.
      await session.run(
        `insert into auth_limits (\`key\`, points, expire) values (?, ?, ${now} + ?) on duplicate key update
          points = if(expire <= ${now}, 0, points) + ?,
          expire = if(expire <= ${now}, ${now} + ?, least(expire, ${now} + ?))`,
        [key, n, windowMs, n, windowMs, windowMs],
      )
      const [row] = await session.all(
        `select points, expire - ${now} as left_ms from auth_limits where \`key\` = ?`,
        [key],
      )
      return { points: Number(row?.points), leftMs: Math.max(0, Number(row?.left_ms)) }
    }),
  removeOld: () => read.run(`delete from auth_limits where expire < ${now} - 3600000`, []),
})

/** How far a replica is behind, in milliseconds; undefined where replication does not run. */
function lagIn(status: RawRow): number | undefined {
  const of = (...names: string[]) => names.map(name => status[name]).find(value => value !== undefined)
  const seconds = of('Seconds_Behind_Master', 'Seconds_Behind_Source')
  if (seconds != null) return Number(seconds) * 1000
  if (of('Slave_SQL_Running', 'Replica_SQL_Running') !== 'Yes') return undefined
  // Without a connection to its source there is no time, and all that was received may have been carried out.
  const received = [
    of('Master_Log_File', 'Source_Log_File'),
    of('Read_Master_Log_Pos', 'Read_Source_Log_Pos'),
  ]
  const done = [
    of('Relay_Master_Log_File', 'Relay_Source_Log_File'),
    of('Exec_Master_Log_Pos', 'Exec_Source_Log_Pos'),
  ]
  return String(received) === String(done) ? 0 : undefined
}

/** @throws ConfigError for an account that may not ask */
async function lagOf(read: Session): Promise<number> {
  const asked = (server: string) => read.all(`show ${server} status`, [])
  try {
    // MySQL has no other word any more, and older servers do not know it.
    const [row] = await asked('replica').catch(error => {
      if (codeOf(error) === 'ER_PARSE_ERROR') return asked('slave')
      throw error
    })
    return row ? (lagIn(row) ?? Number.POSITIVE_INFINITY) : 0
  } catch (error) {
    if (codeOf(error) !== 'ER_SPECIFIC_ACCESS_DENIED_ERROR') throw error
    const rights = 'REPLICA MONITOR on MariaDB, REPLICATION CLIENT on MySQL'
    throw new ConfigError(
      `db_read_only: the account needs the right to see how far the replica is behind (${rights})`,
    )
  }
}

interface Connection extends DriverConnection {
  readonly stream: Socket
}

const rowsOf = (connection: Connection, sql: string): Promise<RawRow[]> =>
  promisify<string, RawRow[]>((sql, done) => connection.query(sql, done))(sql)

/** Makes a new connection of the pool what we need. @returns the server's version */
async function setUp(connection: Connection): Promise<string> {
  const query = (sql: string) => rowsOf(connection, sql)
  await query(`set session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO',
    time_zone = '+00:00', innodb_lock_wait_timeout = ${lockTimeoutSeconds}`)
  await query('set session transaction isolation level read committed')
  const [row] = await query('select version() as version')
  return String(row?.version)
}

interface Address extends Servers {
  user: string
  password: string
  database: string
}

/** @param know is given the version of the server with each new connection */
function poolTo(
  { hosts, state, ...account }: Address,
  connections: Connections<Connection>,
  know: (version: string) => void,
) {
  const knex = knexFactory({
    client: 'mysql2',
    connection: {
      ...account,
      ...hosts[0],
      charset: 'utf8mb4',
      supportBigNumbers: true,
      bigNumberStrings: true,
      connectTimeout: connectTimeoutMs / hosts.length,
    },
    pool: poolOf<Connection>(connections, async connection => know(await setUp(connection))),
    compileSqlOnError: false,
    acquireConnectionTimeout,
    log: quietKnex,
  })
  connectAmong<Connection>(
    knex,
    { hosts, state },
    {
      async isReadOnly(connection) {
        const [row] = await rowsOf(connection, 'select @@global.read_only as read_only')
        return !/^(0|OFF)$/i.test(String(row?.read_only))
      },
      destroy: connection => connections.destroy(connection),
      classify,
    },
  )
  return knex
}

export function mysql(address: Address): Dialect {
  let collation = binaryCollation(true)
  const connections = new Connections<Connection>(({ stream }) => stream)
  const knex = poolTo(address, connections, version => {
    collation = binaryCollation(version.includes('MariaDB'))
  })
  const sessions = serverSessions({
    knex,
    connections,
    classify,
    rowsOf: answer => (answer as [RawRow[]])[0],
    schemaName: 'database()',
    milliseconds,
  })
  // Such locks belong to the whole server, so the database's name is part of theirs.
  const lock = "concat('slugline:', sha1(database()))"
  return {
    name: 'mysql',
    knex,
    read: sessions.read,
    transaction: sessions.transaction,
    snapshot: (work, long) =>
      sessions.snapshot(
        [
          // It holds for the next transaction only; without it there is no snapshot.
          'set transaction isolation level repeatable read',
          'start transaction with consistent snapshot, read only',
        ],
        work,
        long,
      ),
    tableNames: sessions.tableNames,
    schema: sessions.schema,
    withMigrationLock: work =>
      connections.withoutLimit(() =>
        sessions.onOneConnection(async ({ query }) => {
          const [[row] = []] = (await query(`select get_lock(${lock}, 600) as held`)) as [RawRow[]]
          if (Number(row?.held) !== 1) throw new Error('another instance holds the lock of the migrations')
          try {
            return await work()
          } finally {
            await query(`select release_lock(${lock})`)
          }
        }),
      ),
    async raiseVersion(session) {
      await session.run("update counters set value = last_insert_id(value + 1) where name = 'changes'", [])
      const [row] = await session.all('select last_insert_id() as value', [])
      return Number(row?.value ?? 0)
    },
    externalVersion: sessions.externalVersion,
    time: sessions.time,
    lagMs: () => lagOf(sessions.read),
    cheapToRead: false,
    isShared: false,
    propagationDelayMs: 1000,
    rateLimiter: (points, duration) => limiterInTable({ points, duration }, tryTable(sessions)),
    classify: failureOf,
    pool: sessions.pool,
    close: () => connections.close(() => knex.destroy()),
    type: (kind, length) => typeOf(kind, length, collation),
    tableSuffix: ' engine = InnoDB row_format = dynamic',
    inlineIndexes: true,
    createIndex: (name, table, columns) => `create index ${name} on ${table} (${columns})`,
    dropIndex: (name, table) => `drop index ${name} on ${table}`,
    indexedPrefix: (column, characters) => `${column}(${characters})`,
    // MariaDB refuses them.
    expressionIndexes: false,
    fullText: mysqlFullText,
    quote: name => `\`${name}\``,
  }
}
