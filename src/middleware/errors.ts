import type { ErrorHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { HttpError, type OneOfErrors, unavailable } from '../errors.js'
import type { Log } from '../ports.js'
import type { Env } from './context.js'

interface At {
  request_id?: string
  method: string
  path: string
}

type Headers = Readonly<Record<string, string>>

/** A failure as callers see it, whichever surface writes it (docs/errors.md). */
export interface Failure {
  readonly status: number
  readonly error: string
  readonly code: string
  readonly member?: string | undefined
  readonly errors?: readonly OneOfErrors[] | undefined
  readonly headers: Headers
  readonly refusal?: HttpError
}

const unforeseen: Failure = { status: 500, error: 'internal server error', code: 'internal', headers: {} }

const isMissingPart = (error: unknown) =>
  (error as { code?: unknown } | null)?.code === 'ERR_MODULE_NOT_FOUND'

function refused(refusal: HttpError): Failure {
  const { status, message, code, member, errors, headers } = refusal
  return { status, error: message, code, member, errors, headers, refusal }
}

/** Describes a failure for the caller. Unforeseen errors are logged and not shown. */
export function failureOf(log: Log, error: unknown, at: At): Failure {
  if (error instanceof HttpError) return refused(error)
  if (isMissingPart(error)) {
    log.error(
      { err: error, ...at },
      'the program was replaced or removed while it was running: restart the service',
    )
    return refused(unavailable('the service was updated while it was running: restart it'))
  }
  if (error instanceof HTTPException)
    return { status: error.status, error: error.message, code: 'malformed', headers: {} }
  log.error({ err: error, ...at }, unforeseen.error)
  return unforeseen
}

/** `{error, code, member?, errors?}` with its status. */
export function errorAnswer(log: Log, error: unknown, at: At, headers: Headers = {}): Response {
  const { status, headers: own, error: sentence, code, member, errors } = failureOf(log, error, at)
  return Response.json(
    // JSON leaves out undefined members.
    { error: sentence, code, member, errors },
    { status, headers: { ...headers, ...own } },
  )
}

/** How errors look to programs. */
export const jsonErrors =
  (log: Log): ErrorHandler<Env> =>
  (error, { env, req }) =>
    errorAnswer(log, error, { request_id: env.requestId, method: req.method, path: req.path })
