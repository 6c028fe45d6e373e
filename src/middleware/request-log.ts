import { createMiddleware } from 'hono/factory'
import type { Ids } from '../ids.js'
import type { Clock, Log } from '../services/ports.js'
import type { Env } from './context.js'

/** Gives the request its id and, when it has been answered, its line in the log. */
export const requestLog = (log: Log, clock: Clock, ids: Ids) =>
  createMiddleware<Env>(async (c, next) => {
    const from = clock.now()
    const requestId = ids.ulid()
    c.set('requestId', requestId)
    c.header('X-Request-Id', requestId)
    await next()
    log.info(
      {
        request_id: requestId,
        method: c.req.method,
        path: c.req.path,
        status: c.res.status,
        ms: clock.now() - from,
        user_id: c.get('identity')?.userId,
        address: c.env?.address,
      },
      'request',
    )
  })
