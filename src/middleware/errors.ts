import type { ErrorHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { HttpError } from '../errors.js'
import type { Log } from '../ports.js'
import type { Env } from './context.js'

const fixedSentence = 'internal server error'

/**
 * What a failure looks like from outside: `{error, code, member?}` and its status (docs/errors.md). What nobody foresaw is logged and not shown.
 * @param at which request it was, for the log
 */
export function errorAnswer(
  log: Log,
  error: unknown,
  at: { request_id: string; method: string; path: string },
  headers: Readonly<Record<string, string>> = {},
): Response {
  if (error instanceof HttpError) {
    const { status, message, code, member } = error
    const body = { error: message, code, ...(member === undefined ? {} : { member }) }
    return Response.json(body, { status, headers: { ...headers, ...error.headers } })
  }
  if (error instanceof HTTPException)
    return Response.json({ error: error.message, code: 'malformed' }, { status: error.status, headers })
  log.error({ err: error, ...at }, fixedSentence)
  return Response.json({ error: fixedSentence, code: 'internal' }, { status: 500, headers })
}

export const errors =
  (log: Log): ErrorHandler<Env> =>
  (error, { env, req }) =>
    errorAnswer(log, error, { request_id: env.requestId, method: req.method, path: req.path })
