import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long the server may take for one statement, in milliseconds. Then its connection is given up. */
export const statementTimeoutMs = 4000
const closeTimeoutMs = 3000

/** A connection of a driver, as far as all of them are alike. */
export interface DriverConnection {
  query(...call: unknown[]): unknown
}

/**
 * The open connections of one pool. A server that takes packets and answers nothing leaves a connection that no error
 * ever ends, so each statement that stays unanswered ends it here, whoever sent it.
 */
export class Connections<C extends DriverConnection> {
  private readonly open = new Set<C>()
  private readonly allowed = new WeakMap<C, number>()
  private readonly retired = new WeakSet<C>()
  private unlimited = 0

  constructor(private readonly socketOf: (connection: C) => Socket) {}

  watch(connection: C): void {
    this.open.add(connection)
    this.socketOf(connection).once('close', () => this.open.delete(connection))
    const send = connection.query.bind(connection)
    connection.query = (...call) => {
      const timer = this.timer(connection)
      const answered = () => clearTimeout(timer)
      const done = call.at(-1)
      if (typeof done === 'function')
        return send(...call.slice(0, -1), (...answer: unknown[]) => {
          answered()
          done(...answer)
        })
      const answer = send(...call)
      Promise.resolve(answer).then(answered, answered)
      return answer
    }
  }

  allow(connection: C, limitMs: number): void {
    this.allowed.set(connection, Math.max(limitMs, 500))
  }

  /** While `work` runs statements may take any time: a migration changes whole tables. */
  async withoutLimit<T>(work: () => Promise<T>): Promise<T> {
    this.unlimited++
    try {
      return await work()
    } finally {
      this.unlimited--
    }
  }

  get isLimited(): boolean {
    return this.unlimited === 0
  }

  destroy(connection: C): void {
    this.socketOf(connection).destroy()
  }

  /**
   * Gives new connections from now on: the open ones lead to a server that does not write any more. Statements that
   * run on them may end.
   */
  retire(): void {
    for (const connection of this.open) this.retired.add(connection)
  }

  isUsable(connection: C): boolean {
    return !this.retired.has(connection) && !this.socketOf(connection).destroyed
  }

  /** Ends all connections, in order where the server still answers. */
  async close(end: () => Promise<void>): Promise<void> {
    const late = new AbortController()
    const ended = end().finally(() => late.abort())
    const waited = sleep(closeTimeoutMs, undefined, { signal: late.signal }).catch(() => undefined)
    await Promise.race([ended, waited])
    for (const connection of this.open) this.destroy(connection)
  }

  private timer(connection: C): NodeJS.Timeout | undefined {
    if (!this.isLimited) return undefined
    const limit = this.allowed.get(connection) ?? statementTimeoutMs
    return setTimeout(() => this.destroy(connection), limit)
  }
}
