import type { Knex } from 'knex'
import type { PoolState } from '../../metrics.js'
import type { RateLimiter } from '../../ports.js'
import type { AllowanceOf } from '../allowance.js'
import type { Scalar } from '../columns.js'
import type { SchemaDialect } from '../schema.js'

export type RawRow = Record<string, unknown>

/** One place to send statements to: a connection of a pool, or the one a transaction holds. */
export interface Session {
  all(sql: string, bindings: readonly Scalar[]): Promise<RawRow[]>
  /** The rows as lists of their values, which costs less if there are many. */
  lists(sql: string, bindings: readonly Scalar[]): Promise<unknown[][]>
  run(sql: string, bindings: readonly Scalar[]): Promise<void>
  /**
   * Runs a statement that may look at every row. It blocks no other statement and ends in bounded time.
   * Absent if every statement does so. @throws 503 if too many run at once or it takes too long, and the refusal of its
   * allowance
   */
  bounded?(sql: string, bindings: readonly Scalar[], allowanceOf?: AllowanceOf): Promise<RawRow[]>
}

/**
 * The meaning of a driver's failure. `retry`: the same transaction may succeed if run again. `unavailable`: the
 * database does not answer. `unwritable`: it answers and takes no changes. `done`: the schema already has the change.
 */
export type Failure =
  | 'duplicate'
  | 'reference'
  | 'retry'
  | 'unavailable'
  | 'unwritable'
  | 'too-large'
  | 'done'
  | 'unknown'

/** Everything that differs between the three engines. Nothing outside `src/db` asks which one runs. */
export interface Dialect extends SchemaDialect {
  readonly name: 'sqlite' | 'postgres' | 'mysql'
  readonly knex: Knex
  readonly read: Session
  /** One transaction that holds its writes against all others; rolled back when `work` throws. */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>
  /**
   * Reads that all see the moment at which `work` begins, and hold up nobody: neither writers nor other reads.
   * The connection is released when `work` ends or throws.
   * @param long for `work` that reads for minutes: it keeps no other snapshot waiting
   */
  snapshot<T>(work: (session: Session) => Promise<T>, long?: boolean): Promise<T>
  tableNames(session: Session): Promise<string[]>
  /** The name of the schema that the tables are in. */
  schema(): Promise<string>
  /** Runs `work` while no other instance migrates the same database. The lock ends with the process. */
  withMigrationLock<T>(work: () => Promise<T>): Promise<T>
  /**
   * Called last in each writing transaction: raises the number by which other instances see that something changed,
   * and gives it; undefined where the engine itself tells.
   */
  raiseVersion(session: Session): Promise<number | undefined>
  /** The number of `raiseVersion`, or the engine's own, as the commits of all instances have raised it. */
  externalVersion(): number | Promise<number>
  /** The server's own clock, in milliseconds since 1970; absent where that is the clock of this process. */
  time?(): Promise<number>
  /** Set for an instance that only reads: `transaction` refuses all work. */
  readonly isReadOnly?: true
  /**
   * How far a standby or replica is behind the server that it follows, in milliseconds; 0 on a server that follows none.
   * Absent where nothing can be behind.
   */
  lagMs?(): Promise<number>
  readonly cheapToRead: boolean
  /** True if it is looked at for every answer: the next request of a client may go to another process. */
  readonly isShared: boolean
  /** After this time every instance shows the change of any other, in milliseconds. */
  readonly propagationDelayMs: number
  /** At most `tries` attempts of a key in `seconds`, counted for all instances together if several can run. */
  rateLimiter(tries: number, seconds: number): RateLimiter
  classify(error: unknown): Failure
  pool?(): PoolState
  /** Ends in bounded time, also when the server does not answer. */
  close(): Promise<void>
}

/** For engines whose statements can say themselves that they may be repeated. */
export const repeatableIndexes: Pick<
  SchemaDialect,
  'createIndex' | 'dropIndex' | 'indexedPrefix' | 'expressionIndexes'
> = {
  createIndex: (name, table, columns) => `create index if not exists ${name} on ${table} (${columns})`,
  dropIndex: name => `drop index if exists ${name}`,
  indexedPrefix: (column, characters) => `substr(${column}, 1, ${characters})`,
  expressionIndexes: true,
}

export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''

/**
 * A server that only reads, shuts down or is gone: after a failover the other connections of a pool lead there too
 * (docs/decisions/241-database-failures.md).
 */
export const isOtherServer = (error: unknown): boolean =>
  /^(25006|57P0[123]|08|ECONN|EPIPE|PROTOCOL_CONNECTION_LOST|ER_OPTION_PREVENTS|ER_READ_ONLY|ER_SERVER_SHUTDOWN|ER_UNKNOWN_COM_ERROR)/.test(
    codeOf(error),
  ) ||
  (error instanceof Error && /Connection terminated|not queryable/.test(error.message))

const lostConnection = /^(ECONN|ENOTFOUND|ENOSERVER|EPIPE|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|PROTOCOL_|ENOENT)/

/** Failures that the network and Knex's pool report in one way for every server engine. */
export const isUnavailable = (error: unknown): boolean =>
  lostConnection.test(codeOf(error)) ||
  (error instanceof Error &&
    (error.name === 'KnexTimeoutError' ||
      /Connection terminated|closed state|Unable to acquire|timeout expired|not queryable/.test(
        error.message,
      )))
