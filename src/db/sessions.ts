import { DatabaseAwayError, type HttpError, unavailable } from '../errors.js'
import type { StatementCounts } from '../metrics.js'
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
  run: (read: () => Promise<RawRow[]>) => Promise<RawRow[]>,
): Pick<Session, 'bounded'> => {
  const { bounded } = session
  return bounded ? { bounded: (...call) => run(() => bounded(...call)) } : {}
}

/** A session that counts its statements. */
export const counting = (
  session: Session,
  counts: StatementCounts,
  kind: keyof StatementCounts,
): Session => ({
  all(sql, bindings) {
    counts[kind]++
    return session.all(sql, bindings)
  },
  lists(sql, bindings) {
    counts[kind]++
    return session.lists(sql, bindings)
  },
  run(sql, bindings) {
    counts[kind]++
    return session.run(sql, bindings)
  },
  ...withBounded(session, read => {
    counts[kind]++
    return read()
  }),
})

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
    ...withBounded(session, read =>
      read().catch(error => {
        throw translate(error)
      }),
    ),
  }
}
