import { codeOf, type Failure } from './dialect.js'

const maxShapeLength = 200

/**
 * Refusals of a connection, whose sentences are about hosts, accounts and names of databases; no statement has been
 * sent by then.
 */
const refusedConnection = /^(28\d{3}|3D000|ER_ACCESS_DENIED|ER_DBACCESS_DENIED|ER_BAD_DB|ER_HOST)/

/** The driver's own words. Knex writes the statement in front of them. */
function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  return message.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, '')
}

/**
 * A driver's failure as it leaves the dialect. Drivers put values of statements into messages and properties of their
 * errors, and errors are logged whole, so only the code goes any further; the message only if it is about the
 * connection.
 */
export class DriverError extends Error {
  override readonly name = 'DriverError'

  constructor(
    readonly failure: Failure,
    readonly code: string,
    /** The SQL text, whose values are places; undefined when there was no connection to send it by. */
    readonly statement: string | undefined,
    readonly words: string,
  ) {
    super([code || failure, words, statement].filter(Boolean).join(': '))
  }
}

/** @param statement its text, with places instead of values */
export function driverError(
  error: unknown,
  classify: (error: unknown) => Failure,
  statement?: string,
): DriverError {
  if (error instanceof DriverError) return error
  const code = codeOf(error)
  // Drivers and Knex give some failures of a new connection no code. No statement has been sent by then.
  const isConnection = statement === undefined && code === ''
  const failure = isConnection ? 'unavailable' : classify(error)
  const tells = failure === 'unavailable' || failure === 'unwritable' || refusedConnection.test(code)
  return new DriverError(failure, code, statement?.slice(0, maxShapeLength), tells ? wordsOf(error) : '')
}

/** `classify` of every dialect, for errors that it has thrown. */
export const failureOf = (error: unknown): Failure =>
  error instanceof DriverError ? error.failure : 'unknown'
