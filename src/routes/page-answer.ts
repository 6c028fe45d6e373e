import type { RequestInfo } from '../middleware/context.js'
import { securityHeaders } from '../middleware/headers.js'
import type { Answer } from '../services/page-memory.js'
import { matches } from './crud-routes.js'

const common = {
  public: {
    'Content-Type': 'application/json',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'public, max-age=0, must-revalidate',
    'Access-Control-Allow-Origin': '*',
  },
  private: {
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': securityHeaders['Content-Security-Policy'],
    'Content-Type': 'application/json',
    'Cache-Control': 'private, no-cache',
  },
} as const

/**
 * A finished JSON text with its strong ETag, or 304 when the caller has it already. It may be kept by whoever reads
 * it, but is asked for again each time, so that a change shows at once.
 */
export function answerPage(
  request: Request,
  info: RequestInfo,
  { body, etag }: Answer,
  audience: keyof typeof common,
): Response {
  // A plain object and the Response itself keep the hottest path short.
  const headers = { ...common[audience], ETag: etag, 'X-Request-Id': info.requestId }
  info.finished = true
  const known = matches(request.headers.get('if-none-match') ?? undefined, etag)
  return known ? new Response(null, { status: 304, headers }) : new Response(body, { headers })
}
