import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { type Connections, type DriverConnection, statementTimeoutMs } from './connections.js'
import { type Failure, isOtherServer } from './dialect.js'
import { DriverError, driverError } from './driver-error.js'
import { RequestTime } from './request-time.js'

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

/** A statement may take a millisecond more for each so many characters that it sends. */
const charactersPerMs = 4000

const sendingMs = (bindings: readonly Knex.RawBinding[]): number =>
  bindings.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0) /
  charactersPerMs

/** Waits for a connection as long as the pool lets anybody wait, and no longer than its request has time. */
async function acquire<C>(client: Client<C>, time: RequestTime | undefined): Promise<C> {
  const limitMs = time?.leftFor() ?? statementTimeoutMs
  const acquired = client.acquireConnection()
  if (limitMs >= statementTimeoutMs) return acquired
  const late = new AbortController()
  const connection = await Promise.race([
    acquired.finally(() => late.abort()),
    sleep(limitMs, undefined, { signal: late.signal }).catch(() => acquired),
  ])
  if (connection) return connection
  acquired.then(
    unused => client.releaseConnection(unused),
    () => undefined,
  )
  throw new DriverError('unavailable', 'REQUEST_TIME', undefined, 'no connection in the time of this request')
}

/** A connection that its holder alone sends statements by. What fails there is an error of ours. */
class HeldConnection<C extends DriverConnection> {
  private limitMs: number
  private undoing: Promise<void> | undefined

  constructor(
    private readonly pool: Pool<C>,
    private readonly connection: C,
    private readonly time: RequestTime | undefined,
    waitedMs: number,
  ) {
    // Waiting for the connection and for its first answer are one wait for who asks.
    this.limitMs = statementTimeoutMs - waitedMs
  }

  readonly query: Query = async (sql, bindings = []) =>
    this.send(sql, bindings, Math.min(this.limitMs, this.time?.leftFor(sql) ?? this.limitMs))

  /** A statement of which it must be known whether it was done: it may take its whole time, once it is sent. */
  async finish(sql: string): Promise<void> {
    this.time?.leftFor(sql)
    await this.send(sql, [], this.limitMs)
  }

  /** Takes a failed transaction back. Where its request has no time left, only the connection waits for that. */
  async rollBack(): Promise<void> {
    // Without it the transaction would be the next one's who gets this connection.
    this.undoing = this.send('rollback', [], this.limitMs).then(
      () => undefined,
      () => this.pool.connections.destroy(this.connection),
    )
    if (!this.time?.isOver) await this.undoing
  }

  /** Resolves when the connection can be somebody else's. */
  async free(): Promise<void> {
    await this.undoing
  }

  private async send(sql: string, bindings: Knex.RawBinding[], allowedMs: number): Promise<unknown> {
    const { knex, connections, classify } = this.pool
    const since = performance.now()
    const extraMs = sendingMs(bindings)
    connections.allow(this.connection, allowedMs + extraMs)
    try {
      return await knex.raw(sql, bindings).connection(this.connection)
    } catch (error) {
      if (isOtherServer(error)) connections.retire()
      throw driverError(error, classify, sql)
    } finally {
      this.limitMs = statementTimeoutMs
      connections.allow(this.connection, statementTimeoutMs)
      this.time?.answered(since, extraMs)
    }
  }
}

/** Gives `work` one connection of the pool. */
export function connectionHolder<C extends DriverConnection>(pool: Pool<C>) {
  const client = pool.knex.client as Client<C>
  return async <T>(work: (held: HeldConnection<C>) => Promise<T>): Promise<T> => {
    const time = RequestTime.current()
    const from = performance.now()
    const connection = await acquire(client, time).catch(error => {
      throw driverError(error, pool.classify)
    })
    time?.waited(from)
    const held = new HeldConnection(pool, connection, time, performance.now() - from)
    const release = () => client.releaseConnection(connection)
    try {
      return await work(held)
    } finally {
      // Who gets an error because no time was left waits for nothing more.
      const freed = held.free().then(release)
      if (time?.isOver) freed.catch(() => undefined)
      else await freed
    }
  }
}
