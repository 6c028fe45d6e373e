import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type BetterSqlite from 'better-sqlite3'
import type { knex } from 'knex'
import { commonjs } from '../../node/commonjs.js'
import { Semaphore } from '../../semaphore.js'
import type { Kind } from '../columns.js'
import { type Dialect, repeatableIndexes, type Session } from './dialect.js'
import { failureOf } from './driver-error.js'
import { sqliteFullText } from './full-text.js'
import { limiterInMemory, limiterInTable, type TryTable } from './rate-limiter.js'
import { busyTimeoutMs, openConnection, openForReading, ours, sessionOf } from './sqlite-connection.js'
import { openFile } from './sqlite-file.js'
import { beginSnapshot, longReads, ReadingThread } from './sqlite-threads.js'

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
 * Snapshots run one after another in their own thread, so that they block nothing, however much they read. A long one
 * has a connection in this thread, and reads in bounded batches.
 */
function snapshotsOn(file: string) {
  const reading = new Semaphore(1)
  const thread = new ReadingThread(file)
  const long = new Set<BetterSqlite.Database>()
  /** On a connection that is closed afterwards, so that it keeps no other snapshot waiting. */
  async function onItsOwn<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const connection = ours('open', () => openForReading(file))
    long.add(connection)
    try {
      ours('begin', () => connection.exec(beginSnapshot))
      return await work(sessionOf(connection))
    } finally {
      long.delete(connection)
      connection.close()
    }
  }
  return {
    snapshot: <T>(work: (session: Session) => Promise<T>, isLong = false): Promise<T> =>
      isLong ? onItsOwn(work) : reading.run(() => thread.snapshot(work)),
    close() {
      thread.close()
      for (const connection of long) connection.close()
    },
  }
}

async function tableNames(session: Session): Promise<string[]> {
  const tables = await session.all("select name from sqlite_master where type = 'table'", [])
  return tables.map(({ name }) => String(name))
}

function transactionsOn(writer: BetterSqlite.Database, isShared: boolean) {
  const begin = writer.prepare('begin immediate')
  const commit = writer.prepare('commit')
  const rollback = writer.prepare('rollback')
  const session = sessionOf(writer)
  const turns = new Semaphore(1)

  async function start() {
    // Between two of ours, another process has a moment to begin one.
    if (isShared) await nextTurn()
    for (const from = Date.now(); ; await sleep(1)) {
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
    settle: () => turns.run(async () => undefined),
  }
}

/** Counts tries for several processes on one file, by the clock of their machine. */
const tryTable = (transaction: Dialect['transaction']): TryTable => ({
  async count(key, windowMs, n) {
    const now = Date.now()
    // The right sides are the values before. A window that ends later than one from now is of a clock that went back.
    const [row] = await transaction(session =>
      session.all(
        `insert into auth_limits ("key", points, expire) values (?, ?, ?)
          on conflict ("key") do update set
            points = excluded.points + case when expire > ? then points else 0 end,
            expire = case when expire > ? then min(expire, excluded.expire) else excluded.expire end
          returning points, expire`,
        [key, n, now + windowMs, now, now],
      ),
    )
    return { points: Number(row?.points), leftMs: Math.max(0, Number(row?.expire) - now) }
  },
  removeOld: () =>
    transaction(session => session.run('delete from auth_limits where expire < ?', [Date.now() - 3_600_000])),
})

/**
 * SQLite: one connection writes, another reads what is committed and never waits for it.
 * @param isShared whether other processes serve the same callers, who may ask one for what another has just changed
 * @param readOnly opens no connection that writes: the file must exist
 * @throws ConfigError when the file cannot be opened
 */
export function sqlite(
  file: string,
  { onlyExisting = false, isShared = false, readOnly = false } = {},
): Dialect {
  const knex = knexFactory({ client: 'better-sqlite3', useNullAsDefault: true })
  const writer = openFile(file, onlyExisting || readOnly, () =>
    readOnly ? openForReading(file) : openConnection(file, busyTimeoutMs),
  )
  // From here on, waiting for a held file does not block the event loop.
  writer.pragma('busy_timeout = 0')
  const reader = openForReading(file)
  const long = longReads(() => new ReadingThread(file))
  const writing = transactionsOn(writer, isShared)
  const version = writer.prepare('pragma data_version').pluck()
  const snapshots = snapshotsOn(file)

  return {
    name: 'sqlite',
    knex,
    read: { ...sessionOf(reader), bounded: long.bounded },
    transaction: writing.transaction,
    snapshot: snapshots.snapshot,
    tableNames,
    schema: async () => 'main',
    // Transactions run one at a time, and a migration checks inside its transaction which steps are left.
    withMigrationLock: work => work(),
    raiseVersion: async () => undefined,
    externalVersion: () => ours('pragma data_version', () => version.get() as number),
    cheapToRead: true,
    isShared,
    propagationDelayMs: 100,
    rateLimiter: (points, duration) =>
      isShared
        ? limiterInTable({ points, duration }, tryTable(writing.transaction))
        : limiterInMemory({ points, duration }),
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
