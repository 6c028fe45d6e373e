import type { ErrorHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { Refusal } from '../errors.js'
import type { Log } from '../services/ports.js'
import type { Env } from './context.js'

const fixedSentence = 'internal server error'

/** The one place that writes error answers: `{error}` (7). What nobody foresaw is logged and not shown. */
export function errors(log: Log): ErrorHandler<Env> {
  return (error, c) => {
    if (error instanceof Refusal) {
      for (const [name, value] of Object.entries(error.headers)) c.header(name, value)
      return c.json({ error: error.message }, error.status)
    }
    if (error instanceof HTTPException) return c.json({ error: error.message }, error.status)
    log.error(
      { err: error, request_id: c.env.requestId, method: c.req.method, path: c.req.path },
      fixedSentence,
    )
    return c.json({ error: fixedSentence }, 500)
  }
}
