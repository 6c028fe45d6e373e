import { setTimeout as sleep } from 'node:timers/promises'
import type BetterSqlite from 'better-sqlite3'
import type { knex } from 'knex'
import { commonjs } from '../../node/commonjs.js'
import { Semaphore } from '../../semaphore.js'
import type { Kind, Scalar } from '../columns.js'
import {
  codeOf,
  type Dialect,
  type Failure,
  type RawRow,
  repeatableIndexes,
  type Session,
} from './dialect.js'
import { driverError, failureOf } from './driver-error.js'
import { sqliteFullText } from './full-text.js'
import { limiterInMemory } from './rate-limiter.js'
import { openFile } from './sqlite-file.js'
import { piecesOn, rowsInPieces } from './sqlite-pieces.js'

const Database: typeof BetterSqlite = commonjs('better-sqlite3')
const knexFactory: typeof knex = commonjs('knex')

const types: Record<Kind, string> = {
  id: 'text',
  text: 'text',
  longtext: 'text',
  integer: 'integer',
  bigint: 'integer',
  double: 'real',
  boolean: 'integer',
  time: 'text',
  json: 'text',
  bytes: 'blob',
}

/**
 * How many prepared statements a connection has at most, and how many characters they have together: SQLite keeps some 25
 * bytes for each, and the insert of 300 rows has 10,000.
 */
const [maxStatements, maxCharacters] = [400, 200_000]
/** How long a writer waits for another process that holds the file, in milliseconds. */
const busyTimeoutMs = 4000

/**
 * A session on a connection of our own. Knex builds the SQL text; running it through prepared statements that stay
 * costs a tenth of what Knex's own runner does.
 */
function sessionOf(connection: BetterSqlite.Database): Required<Session> {
  const remembered = <T>(make: (sql: string) => T) => {
    const prepared = new Map<string, T>()
    let characters = 0
    return (sql: string): T => {
      const known = prepared.get(sql)
      if (known) return known
      const made = make(sql)
      characters += sql.length
      if (prepared.size >= maxStatements || characters > maxCharacters) {
        prepared.clear()
        characters = sql.length
      }
      prepared.set(sql, made)
      return made
    }
  }
  const prepare = remembered(sql => connection.prepare(sql))
  const lists = remembered(sql => listsOf(connection, sql))
  return {
    all: async (sql: string, bindings: readonly Scalar[]) =>
      ours(sql, () => prepare(sql).all(bindings) as RawRow[]),
    lists: async (sql: string, bindings: readonly Scalar[]) => ours(sql, () => lists(sql)(bindings)),
    run: async (sql: string, bindings: readonly Scalar[]) =>
      ours(sql, () => {
        prepare(sql).run(bindings)
      }),
    pieces: (sql, bindings, allowanceOf) =>
      rowsInPieces(
        ours(sql, () => prepare(sql)),
        bindings,
        ours,
        allowanceOf,
      ),
  }
}

/**
 * Runs a statement for lists. The driver makes each value a JavaScript value by itself; one JSON text for all rows
 * takes half the time, where no column holds bytes.
 */
function listsOf(
  connection: BetterSqlite.Database,
  sql: string,
): (bindings: readonly Scalar[]) => unknown[][] {
  const plain = connection.prepare(sql).raw()
  const columns = plain.columns()
  if (columns.some(({ type }) => type === null || type === 'BLOB'))
    return bindings => plain.all(bindings) as unknown[][]
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const asJson = connection.prepare(`select json_group_array(json_array(${names})) from (${sql})`).pluck()
  return bindings => JSON.parse(asJson.get(bindings) as string) as unknown[][]
}

function classify(error: unknown): Failure {
  const code = codeOf(error)
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') return 'duplicate'
  if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return 'reference'
  if (code.startsWith('SQLITE_BUSY') || code === 'SQLITE_LOCKED') return 'retry'
  if (code === 'SQLITE_TOOBIG') return 'too-large'
  if (/^SQLITE_(FULL|READONLY)/.test(code)) return 'unwritable'
  if (/^SQLITE_(IOERR|CANTOPEN|NOTADB|CORRUPT)/.test(code)) return 'unavailable'
  return 'unknown'
}

/** Does what the driver does; what fails leaves as an error of ours. */
function ours<T>(statement: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw driverError(error, classify, statement)
  }
}

/**
 * Snapshots run one after another on a connection of their own, opened by the first: on the connection of ordinary
 * reads an open transaction would show old rows to all of them.
 */
function snapshotsOn(open: () => BetterSqlite.Database) {
  const reading = new Semaphore(1)
  let opened: { connection: BetterSqlite.Database; session: Session } | undefined
  const long = new Set<BetterSqlite.Database>()
  function openNow() {
    const connection = open()
    connection.pragma('query_only = ON')
    return { connection, session: sessionOf(connection) }
  }
  async function between<T>(
    { connection, session }: { connection: BetterSqlite.Database; session: Session },
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    // The moment of the snapshot is that of its first read, so it reads something at once.
    ours('begin', () => connection.exec('begin; select 1 from sqlite_master limit 1'))
    try {
      return await work(session)
    } finally {
      if (connection.open && connection.inTransaction) connection.exec('rollback')
    }
  }
  /** On a connection that is closed afterwards, so that it keeps no other snapshot waiting. */
  async function onItsOwn<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const own = ours('open', openNow)
    long.add(own.connection)
    try {
      return await between(own, work)
    } finally {
      long.delete(own.connection)
      own.connection.close()
    }
  }
  return {
    snapshot: <T>(work: (session: Session) => Promise<T>, isLong = false): Promise<T> =>
      isLong
        ? onItsOwn(work)
        : reading.run(() => {
            opened ??= ours('open', openNow)
            return between(opened, work)
          }),
    close() {
      opened?.connection.close()
      for (const connection of long) connection.close()
    },
  }
}

async function tableNames(session: Session): Promise<string[]> {
  const tables = await session.all("select name from sqlite_master where type = 'table'", [])
  return tables.map(({ name }) => String(name))
}

const opens = (file: string) => (timeout: number) => {
  const connection = new Database(file, { timeout })
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = FULL')
  connection.pragma('foreign_keys = ON')
  return connection
}

/** Transactions of this process run one after another on the one writing connection. */
function transactionsOn(writer: BetterSqlite.Database) {
  const begin = writer.prepare('begin immediate')
  const commit = writer.prepare('commit')
  const rollback = writer.prepare('rollback')
  const session = sessionOf(writer)
  const turns = new Semaphore(1)

  async function start() {
    for (const from = Date.now(); ; await sleep(5)) {
      try {
        ours('begin', () => begin.run())
        return
      } catch (error) {
        if (failureOf(error) !== 'retry' || Date.now() - from > busyTimeoutMs) throw error
      }
    }
  }

  return {
    transaction: <T>(work: (session: Session) => Promise<T>): Promise<T> =>
      turns.run(async () => {
        await start()
        try {
          const result = await work(session)
          ours('commit', () => commit.run())
          return result
        } catch (error) {
          if (writer.inTransaction) ours('rollback', () => rollback.run())
          throw error
        }
      }),
    /** Ends when the last of them has ended. */
    settle: () => turns.run(async () => undefined),
  }
}

/**
 * SQLite: one connection writes, another reads what is committed and never waits for it.
 * @throws ConfigError when the file cannot be opened
 */
export function sqlite(file: string, onlyExisting = false): Dialect {
  const knex = knexFactory({ client: 'better-sqlite3', useNullAsDefault: true })
  const open = opens(file)
  const writer = openFile(file, onlyExisting, () => open(busyTimeoutMs))
  // From here on a held file is waited for without holding the event loop.
  writer.pragma('busy_timeout = 20')
  const forReading = () => {
    const connection = open(busyTimeoutMs)
    connection.pragma('query_only = ON')
    return connection
  }
  const reader = forReading()
  const long = piecesOn(() => {
    const connection = ours('open', forReading)
    return { pieces: sessionOf(connection).pieces, close: () => connection.close() }
  })
  const writing = transactionsOn(writer)
  const version = writer.prepare('pragma data_version').pluck()
  const snapshots = snapshotsOn(() => open(busyTimeoutMs))

  return {
    name: 'sqlite',
    knex,
    read: { ...sessionOf(reader), pieces: long.pieces },
    transaction: writing.transaction,
    snapshot: snapshots.snapshot,
    tableNames,
    // One transaction runs at a time, and what runs here checks inside it what is left to do.
    withMigrationLock: work => work(),
    raiseVersion: async () => undefined,
    externalVersion: () => ours('pragma data_version', () => version.get() as number),
    cheapToRead: true,
    propagationDelayMs: 100,
    rateLimiter: (points, duration) => limiterInMemory({ points, duration }),
    classify: failureOf,
    async close() {
      await writing.settle()
      snapshots.close()
      long.close()
      reader.close()
      writer.close()
      await knex.destroy()
    },
    type: kind => types[kind],
    tableSuffix: ' strict',
    keyedSuffix: ' strict, without rowid',
    inlineIndexes: false,
    ...repeatableIndexes,
    fullText: sqliteFullText,
    quote: name => `\`${name}\``,
  }
}
