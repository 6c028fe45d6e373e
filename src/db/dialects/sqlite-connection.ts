import type BetterSqlite from 'better-sqlite3'
import { commonjs } from '../../node/commonjs.js'
import type { Scalar } from '../columns.js'
import { codeOf, type Failure, type RawRow, type Session } from './dialect.js'
import { driverError } from './driver-error.js'

/** Connections to an SQLite file, in this thread or another. */

/**
 * The driver. Node 22 and newer have a version of their own: from 24.19 on, the one for Node 20 ends the process when a
 * statement is collected. On Node 20 npm leaves the newer one out (D-967).
 */
function driver(): typeof BetterSqlite {
  try {
    return commonjs('better-sqlite3-node22')
  } catch (error) {
    // A driver that is installed and cannot be loaded is an error of its own.
    if ((error as { code?: unknown }).code !== 'MODULE_NOT_FOUND') throw error
    return commonjs('better-sqlite3')
  }
}

const Database = driver()

/**
 * How many prepared statements a connection has at most, and how many characters they have together: SQLite keeps some
 * 25 bytes for each, and the insert of 300 rows has 10,000.
 */
const [maxStatements, maxCharacters] = [400, 200_000]
/** How long writing or opening waits for another process that holds the file, in milliseconds. */
export const busyTimeoutMs = 4000

/**
 * A session on a connection of our own. Knex builds the SQL text; running it through prepared statements that stay
 * costs a tenth of what Knex's own runner does.
 */
export function sessionOf(connection: BetterSqlite.Database): Session {
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
export function ours<T>(statement: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw driverError(error, classify, statement)
  }
}

/** Opens a connection to the file. @param timeout how long it waits for another process, in milliseconds */
export function openConnection(file: string, timeout: number): BetterSqlite.Database {
  const connection = new Database(file, { timeout })
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = FULL')
  connection.pragma('foreign_keys = ON')
  return connection
}

/** One that only reads. */
export function openForReading(file: string): BetterSqlite.Database {
  const connection = openConnection(file, busyTimeoutMs)
  connection.pragma('query_only = ON')
  return connection
}
