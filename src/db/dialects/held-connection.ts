import type { Knex } from 'knex'
import { type Connections, type DriverConnection, statementTimeoutMs } from './connections.js'
import { type Failure, isOtherServer } from './dialect.js'
import { driverError } from './driver-error.js'

export type Query = (sql: string, bindings?: Knex.RawBinding[]) => Promise<unknown>

export interface Pool<C extends DriverConnection> {
  knex: Knex
  connections: Connections<C>
  classify(error: unknown): Failure
}

// Knex types its client as any; these two are its documented way to one connection.
interface Client<C> {
  acquireConnection(): Promise<C>
  releaseConnection(connection: C): Promise<void>
}

/** For this many characters that a statement sends, it may take a millisecond longer. */
const charactersPerMs = 4000

const sendingMs = (bindings: readonly Knex.RawBinding[]): number =>
  bindings.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0) /
  charactersPerMs

class HeldConnection<C extends DriverConnection> {
  private limitMs: number

  constructor(
    private readonly pool: Pool<C>,
    private readonly connection: C,
    waitedMs: number,
  ) {
    // The caller's limit covers both waits: for the connection, and for its first answer.
    this.limitMs = statementTimeoutMs - waitedMs
  }

  readonly query: Query = async (sql, bindings = []) => {
    const { knex, connections, classify } = this.pool
    connections.allow(this.connection, this.limitMs + sendingMs(bindings))
    try {
      return await knex.raw(sql, bindings).connection(this.connection)
    } catch (error) {
      if (isOtherServer(error)) connections.retire()
      throw driverError(error, classify, sql)
    } finally {
      this.limitMs = statementTimeoutMs
      connections.allow(this.connection, statementTimeoutMs)
    }
  }

  /** Takes a failed transaction back. Otherwise it would be the next one's who gets this connection. */
  async rollBack(): Promise<void> {
    await this.query('rollback').catch(() => this.pool.connections.destroy(this.connection))
  }
}

/** Gives `work` one connection of the pool. */
export function connectionHolder<C extends DriverConnection>(pool: Pool<C>) {
  const client = pool.knex.client as Client<C>
  return async <T>(work: (held: HeldConnection<C>) => Promise<T>): Promise<T> => {
    const from = performance.now()
    const connection = await client.acquireConnection().catch(error => {
      throw driverError(error, pool.classify)
    })
    try {
      return await work(new HeldConnection(pool, connection, performance.now() - from))
    } finally {
      await client.releaseConnection(connection)
    }
  }
}
