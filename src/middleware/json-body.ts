import { createMiddleware } from 'hono/factory'
import { unsupported } from '../errors.js'
import { parsedJson } from '../services/json-text.js'
import { Turns } from '../turns.js'
import type { Env } from './context.js'
import { bodyText } from './request-body.js'

/**
 * Reads the body once, as strictly as every endpoint wants it, and leaves it where the validator looks for it.
 * @throws 415 unless it is plain UTF-8 JSON, 413 over the limits, 400 when malformed
 */
export const jsonBody = (maxBytes: number) =>
  createMiddleware<Env>(async (c, next) => {
    const type = c.req.header('content-type') ?? ''
    if (!/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type))
      throw unsupported('the body must be application/json in UTF-8')
    const text = await bodyText(c, maxBytes)
    const turns = new Turns()
    const body = await turns.run(parsedJson(text))
    await turns.next()
    c.req.bodyCache.json = Promise.resolve(body)
    // Hono's own would write the parsed value as text and parse that again, on every call.
    c.req.json = async <T>() => body as T
    await next()
  })
