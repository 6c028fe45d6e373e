import { createMiddleware } from 'hono/factory'
import { tooMany } from '../errors.js'
import { limitKey } from '../net/client-address.js'
import type { RateLimiter } from '../ports.js'
import type { Env } from './context.js'

/** Counts the caller's address and refuses with 429 when it has come too often. Nothing of the request is read. */
export const limiting = (rateLimiter: RateLimiter) =>
  createMiddleware<Env>(async (c, next) => {
    const wait = await rateLimiter.consume(limitKey(c.env.address))
    if (wait !== undefined) throw tooMany(wait)
    await next()
  })
