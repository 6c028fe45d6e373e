import { DatabaseAwayError, type HttpError, unavailable } from '../errors.js'
import type { StatementCounts } from '../metrics.js'
import type { Tracing } from '../ports.js'
import type { Dialect, RawRow, Session } from './dialects/dialect.js'

/** The layer between the database and an engine: failures in the API's words, and counts of statements. */

/** Failures of the engine in the API's words. A standby ends reads that are in the way of what it replays. */
export function translated(dialect: Dialect, error: unknown): HttpError | unknown {
  const failure = dialect.classify(error)
  if (failure === 'retry') return unavailable('the database is busy, try again')
  return failure === 'unavailable' || failure === 'unwritable' ? new DatabaseAwayError() : error
}

/** The number of commits fails in the API's words as reads do: every signed-in request asks for it. */
export function guardedVersion(
  dialect: Dialect,
): Pick<Dialect, 'externalVersion' | 'cheapToRead' | 'isShared'> {
  const refuse = (error: unknown): never => {
    throw translated(dialect, error)
  }
  return {
    cheapToRead: dialect.cheapToRead,
    isShared: dialect.isShared,
    externalVersion() {
      try {
        const version = dialect.externalVersion()
        return typeof version === 'number' ? version : version.catch(refuse)
      } catch (error) {
        return refuse(error)
      }
    },
  }
}

/** Wraps `bounded`, if the session has it, in `run`. */
export const withBounded = (
  session: Session,
  run: (sql: string, read: () => Promise<RawRow[]>) => Promise<RawRow[]>,
): Pick<Session, 'bounded'> => {
  const { bounded } = session
  return bounded ? { bounded: (sql, ...rest) => run(sql, () => bounded(sql, ...rest)) } : {}
}

/** Runs a statement, and may show it to who traces requests. */
type Observe = <T>(sql: string, run: () => Promise<T>) => Promise<T>

/** How the statements of an engine are traced; without a receiver they only run. */
export function observing({ name }: Pick<Dialect, 'name'>, tracing: Tracing | undefined): Observe {
  if (!tracing) return (_, run) => run()
  const system = name === 'postgres' ? 'postgresql' : name
  return (sql, run) => tracing.statement(system, sql, run)
}

/** A session that counts its statements and traces them. */
export function counting(
  session: Session,
  { counts, observe }: { counts: StatementCounts; observe: Observe },
  kind: keyof StatementCounts,
): Session {
  const count: Observe = (sql, run) => {
    counts[kind]++
    return observe(sql, run)
  }
  return {
    all: (sql, bindings) => count(sql, () => session.all(sql, bindings)),
    lists: (sql, bindings) => count(sql, () => session.lists(sql, bindings)),
    run: (sql, bindings) => count(sql, () => session.run(sql, bindings)),
    ...withBounded(session, count),
  }
}

/** Reads outside a writing transaction fail in the API's words when the database is away. */
export function guarded(dialect: Dialect, session: Session): Session {
  const translate = (error: unknown) => translated(dialect, error)
  return {
    all: (sql, bindings) =>
      session.all(sql, bindings).catch(error => {
        throw translate(error)
      }),
    lists: (sql, bindings) =>
      session.lists(sql, bindings).catch(error => {
        throw translate(error)
      }),
    run: (sql, bindings) =>
      session.run(sql, bindings).catch(error => {
        throw translate(error)
      }),
    ...withBounded(session, (_, read) =>
      read().catch(error => {
        throw translate(error)
      }),
    ),
  }
}
