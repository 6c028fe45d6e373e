import type { Ctx } from '../middleware/context.js'
import type { Answer } from '../services/pages.js'
import { matches } from './crud-routes.js'

/**
 * A finished JSON text with its strong ETag, or 304 when the caller has it already. It may be kept by whoever reads
 * it, but is asked for again each time, so that a change shows at once.
 */
export function answerPage(c: Ctx, { body, etag }: Answer, audience: 'public' | 'private'): Response {
  const known = matches(c.req.header('if-none-match'), etag)
  if (audience === 'private') {
    c.header('Content-Type', 'application/json')
    c.header('ETag', etag)
    c.header('Cache-Control', 'private, no-cache')
    return known ? c.body(null, 304) : c.body(body)
  }
  // A plain object and the Response itself keep the hottest path short.
  const headers = {
    'Content-Type': 'application/json',
    ETag: etag,
    'Cache-Control': 'public, max-age=0, must-revalidate',
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': '*',
    'X-Request-Id': c.get('requestId'),
  }
  return known ? new Response(null, { status: 304, headers }) : new Response(body, { headers })
}
