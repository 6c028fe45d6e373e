import type { Knex } from 'knex'
import { Semaphore } from '../../semaphore.js'
import type { Scalar } from '../columns.js'
import { type Connections, type DriverConnection, statementTimeoutMs } from './connections.js'
import type { Failure, RawRow, Session } from './dialect.js'
import { driverError } from './driver-error.js'

type Query = (sql: string, bindings?: Knex.RawBinding[]) => Promise<unknown>

/** So many snapshots at once: the other connections of the pool are for ordinary reads and writes. */
const maxSnapshots = 4

interface Server<C extends DriverConnection> {
  knex: Knex
  connections: Connections<C>
  classify(error: unknown): Failure
  rowsOf(answer: unknown): RawRow[]
  /** Lifts the server's own limit of statements for the transaction that it is sent in. */
  liftLimit?: string
}

// Both drivers take bytes only as a Buffer.
const bound = (bindings: readonly Scalar[]) =>
  bindings.map(value => (value instanceof Uint8Array ? Buffer.from(value) : value))

/** Gives `work` one connection of the pool. What fails there leaves as an error of ours. */
function connectionHolder<C extends DriverConnection>({ knex, connections, classify }: Server<C>) {
  // Knex types its client as any; these two are its documented way to one connection.
  const client = knex.client as {
    acquireConnection(): Promise<C>
    releaseConnection(connection: C): Promise<void>
  }
  return async <T>(work: (query: Query, connection: C) => Promise<T>): Promise<T> => {
    const from = performance.now()
    const connection = await client.acquireConnection().catch(error => {
      throw driverError(error, classify)
    })
    // Waiting for the connection and for its first answer are one wait for who asks.
    connections.allow(connection, performance.now() - from)
    const query: Query = async (sql, bindings = []) => {
      try {
        return await knex.raw(sql, bindings).connection(connection)
      } catch (error) {
        throw driverError(error, classify, sql)
      } finally {
        connections.allow(connection, 0)
      }
    }
    try {
      return await work(query, connection)
    } finally {
      await client.releaseConnection(connection)
    }
  }
}

/** What PostgreSQL and MySQL/MariaDB share: sessions over Knex's pool and the counter of commits. */
export function serverSessions<C extends DriverConnection>(server: Server<C>) {
  const { connections, rowsOf, liftLimit } = server
  const onOneConnection = connectionHolder(server)
  const sessionOf = (query: Query): Session => ({
    all: async (sql: string, bindings: readonly Scalar[]) => rowsOf(await query(sql, bound(bindings))),
    lists: async (sql: string, bindings: readonly Scalar[]) =>
      rowsOf(await query(sql, bound(bindings))).map(row => Object.values(row)),
    async run(sql: string, bindings: readonly Scalar[]) {
      await query(sql, bound(bindings))
    },
  })
  const read = sessionOf((sql, bindings) => onOneConnection(query => query(sql, bindings)))
  const snapshots = new Semaphore(maxSnapshots)

  /** Runs `work` between `begin` and `end`; what fails is rolled back. */
  const between = <T>(begin: readonly string[], end: string, work: (session: Session) => Promise<T>) =>
    onOneConnection(async (query, connection) => {
      try {
        for (const sql of begin) await query(sql)
        const result = await work(sessionOf(query))
        await query(end)
        return result
      } catch (error) {
        // Without a rollback the transaction would be the next one's who gets this connection.
        await query('rollback').catch(() => connections.destroy(connection))
        throw error
      }
    })

  return {
    read,
    transaction: <T>(work: (session: Session) => Promise<T>) =>
      between(connections.isLimited || !liftLimit ? ['begin'] : ['begin', liftLimit], 'commit', work),
    /** @param begin begins a transaction that only reads, and takes its snapshot at once */
    snapshot: <T>(begin: readonly string[], work: (session: Session) => Promise<T>): Promise<T> =>
      snapshots.run(() => between(begin, 'rollback', work)),
    onOneConnection,
    async externalVersion() {
      const [row] = await read.all("select value from counters where name = 'changes'", [])
      return Number(row?.value ?? 0)
    },
  }
}

/** How long a new connection may take until it can be used, in milliseconds. */
export const connectTimeoutMs = 3000
/** @param watch is given each new connection before `setUp` and everybody else */
export const poolOf = <C>(watch: (connection: C) => void, setUp?: (connection: C) => Promise<void>) => ({
  min: 0,
  max: 10,
  idleTimeoutMillis: 30_000,
  // Knex asks a new connection for the server's version before we can watch it.
  createTimeoutMillis: connectTimeoutMs,
  destroyTimeoutMillis: 1000,
  afterCreate: (connection: C, done: (error: unknown, connection: C) => void) => {
    watch(connection)
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
