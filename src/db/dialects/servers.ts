import type { Knex } from 'knex'
import { Semaphore } from '../../semaphore.js'
import type { Scalar } from '../columns.js'
import type { RawRow, Session } from './dialect.js'

type Query = (sql: string, bindings?: Knex.RawBinding[]) => Promise<unknown>

/** So many snapshots at once: the other connections of the pool are for ordinary reads and writes. */
const maxSnapshots = 4

/** What PostgreSQL and MySQL/MariaDB share: sessions over Knex's pool and the counter of commits. */
export function serverSessions(knex: Knex, rowsOf: (answer: unknown) => RawRow[]) {
  // Both drivers take bytes only as a Buffer.
  const bound = (bindings: readonly Scalar[]) =>
    bindings.map(value => (value instanceof Uint8Array ? Buffer.from(value) : value))
  const sessionOf = (raw: (sql: string, bindings: Knex.RawBinding[]) => PromiseLike<unknown>): Session => ({
    all: async (sql: string, bindings: readonly Scalar[]) => rowsOf(await raw(sql, bound(bindings))),
    lists: async (sql: string, bindings: readonly Scalar[]) =>
      rowsOf(await raw(sql, bound(bindings))).map(row => Object.values(row)),
    async run(sql: string, bindings: readonly Scalar[]) {
      await raw(sql, bound(bindings))
    },
  })
  const read = sessionOf((sql, bindings) => knex.raw(sql, bindings))
  const snapshots = new Semaphore(maxSnapshots)

  /** Holds one connection of the pool while `work` runs. */
  async function onOneConnection<T>(work: (query: Query) => Promise<T>): Promise<T> {
    // Knex types its client as any; these two are its documented way to one connection.
    const client = knex.client as {
      acquireConnection(): Promise<unknown>
      releaseConnection(connection: unknown): Promise<void>
    }
    const connection = await client.acquireConnection()
    try {
      return await work(async (sql, bindings = []) => knex.raw(sql, bindings).connection(connection))
    } finally {
      await client.releaseConnection(connection)
    }
  }

  return {
    read,
    transaction: <T>(work: (session: Session) => Promise<T>) =>
      knex.transaction(trx => work(sessionOf((sql, bindings) => trx.raw(sql, bindings)))),
    /** @param begin begins a transaction that only reads, and takes its snapshot at once */
    snapshot: <T>(begin: readonly string[], work: (session: Session) => Promise<T>): Promise<T> =>
      snapshots.run(() =>
        onOneConnection(async query => {
          for (const sql of begin) await query(sql)
          try {
            return await work(sessionOf(query))
          } finally {
            await query('rollback')
          }
        }),
      ),
    onOneConnection,
    async externalVersion() {
      const [row] = await read.all("select value from counters where name = 'changes'", [])
      return Number(row?.value ?? 0)
    },
  }
}

export const pool = { min: 0, max: 10, idleTimeoutMillis: 30_000 }
/** How long a request waits for a connection of the pool, in milliseconds. */
export const acquireConnectionTimeout = 5000
/** Knex's own warnings are for its callers' authors, not for the service's log. */
export const quietKnex = { warn() {}, deprecate() {}, debug() {}, error() {} }
