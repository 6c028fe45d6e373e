import { Semaphore } from '../../semaphore.js'
import type { Scalar } from '../columns.js'
import { type Connections, type DriverConnection, statementTimeoutMs } from './connections.js'
import type { RawRow, Session } from './dialect.js'
import { connectionHolder, type Pool, type Query } from './held-connection.js'

/** So many snapshots at once: the other connections of the pool are for ordinary reads and writes. */
const maxSnapshots = 4

interface Server<C extends DriverConnection> extends Pool<C> {
  rowsOf(answer: unknown): RawRow[]
  limits?: readonly string[]
  liftLimit?: string
  schemaName: string
  /** Gives the server's clock, in milliseconds since 1970. */
  milliseconds: string
}

/** The counts of Knex's pool; Knex types its client as any. */
interface Tarn {
  numUsed(): number
  numFree(): number
  numPendingAcquires(): number
}

// Both drivers take bytes only as a Buffer.
const bound = (bindings: readonly Scalar[]) =>
  bindings.map(value => (value instanceof Uint8Array ? Buffer.from(value) : value))

/** Sessions over Knex's pool and the counter of commits, as PostgreSQL and MySQL/MariaDB share them. */
export function serverSessions<C extends DriverConnection>(server: Server<C>) {
  const { connections, rowsOf, liftLimit, limits = [] } = server
  const onOneConnection = connectionHolder(server)
  const sessionOf = (query: Query): Session => ({
    all: async (sql: string, bindings: readonly Scalar[]) => rowsOf(await query(sql, bound(bindings))),
    lists: async (sql: string, bindings: readonly Scalar[]) =>
      rowsOf(await query(sql, bound(bindings))).map(row => Object.values(row)),
    async run(sql: string, bindings: readonly Scalar[]) {
      await query(sql, bound(bindings))
    },
  })
  const read = sessionOf((sql, bindings) => onOneConnection(({ query }) => query(sql, bindings)))
  const snapshots = new Semaphore(maxSnapshots)

  const between = <T>(begin: readonly string[], end: string, work: (session: Session) => Promise<T>) =>
    onOneConnection(async held => {
      try {
        for (const sql of begin) await held.query(sql)
        const result = await work(sessionOf(held.query))
        await held.query(end)
        return result
      } catch (error) {
        await held.rollBack()
        throw error
      }
    })

  return {
    read,
    transaction: <T>(work: (session: Session) => Promise<T>) =>
      between(['begin', ...(connections.isLimited || !liftLimit ? limits : [liftLimit])], 'commit', work),
    /**
     * @param begin begins a transaction that only reads, and takes its snapshot at once
     * @param long true to wait for no other snapshot and to keep none waiting
     */
    snapshot: <T>(begin: readonly string[], work: (session: Session) => Promise<T>, long = false) =>
      long ? between(begin, 'rollback', work) : snapshots.run<T>(() => between(begin, 'rollback', work)),
    async tableNames(session: Session): Promise<string[]> {
      const tables = `select table_name as name from information_schema.tables where table_schema = ${server.schemaName}`
      return (await session.all(tables, [])).map(({ name }) => String(name))
    },
    async schema(): Promise<string> {
      const [row] = await read.all(`select ${server.schemaName} as name`, [])
      return String(row?.name)
    },
    onOneConnection,
    pool: () => {
      const { pool } = server.knex.client as { pool?: Tarn }
      return {
        used: pool?.numUsed() ?? 0,
        free: pool?.numFree() ?? 0,
        waiting: pool?.numPendingAcquires() ?? 0,
      }
    },
    async time() {
      const [row] = await read.all(`select ${server.milliseconds} as now`, [])
      return Number(row?.now)
    },
    async externalVersion() {
      const [row] = await read.all("select value from counters where name = 'changes'", [])
      return Number(row?.value ?? 0)
    },
  }
}

/** How long a new connection may take until it can be used, in milliseconds. */
export const connectTimeoutMs = 3000
/** @param setUp runs before anybody gets a new connection */
export const poolOf = <C extends DriverConnection>(
  connections: Connections<C>,
  setUp?: (connection: C) => Promise<void>,
) => ({
  min: 0,
  max: 10,
  idleTimeoutMillis: 30_000,
  // Knex asks a new connection for the server's version before we can watch it.
  createTimeoutMillis: connectTimeoutMs,
  destroyTimeoutMillis: 1000,
  validate: (connection: C) => connections.isUsable(connection),
  afterCreate: (connection: C, done: (error: unknown, connection: C) => void) => {
    connections.watch(connection)
    if (!setUp) return done(null, connection)
    setUp(connection).then(
      () => done(null, connection),
      error => done(error, connection),
    )
  },
})
/** How long a request waits for a connection of the pool, in milliseconds. */
export const acquireConnectionTimeout = statementTimeoutMs
/** Knex's own warnings are for its callers' authors, not for the service's log. */
export const quietKnex = { warn() {}, deprecate() {}, debug() {}, error() {} }
