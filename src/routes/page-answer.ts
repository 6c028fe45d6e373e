import type { RequestInfo } from '../middleware/context.js'
import { securityHeaders } from '../middleware/headers.js'
import type { FormatName } from '../services/content-formats/index.js'
import type { Answer } from '../services/page-memory.js'
import { matches } from './crud-routes.js'

// Each written out whole: on the hottest path an object that is put together costs more than all else here.
const headersFor = {
  public: ({ etag: ETag, tags }: Answer, requestId: string) => ({
    'Content-Type': 'application/json',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'public, max-age=0, stale-while-revalidate=30',
    'Surrogate-Key': tags,
    'Access-Control-Allow-Origin': '*',
    ETag,
    'X-Request-Id': requestId,
  }),
  private: ({ etag: ETag }: Answer, requestId: string) => ({
    'Content-Type': 'application/json',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': securityHeaders['Content-Security-Policy'],
    'Cache-Control': 'private, no-cache',
    ETag,
    'X-Request-Id': requestId,
  }),
} as const

/**
 * A finished JSON text with its strong ETag, or 304 when the caller has it already. Caches may keep it, ask again each
 * time, and show it for half a minute while they ask; CDNs can purge it by the ids of its route and its root entry.
 */
export function answerPage(
  request: Request,
  info: RequestInfo,
  answer: Answer,
  audience: keyof typeof headersFor,
  format?: FormatName,
): Response {
  const { body, etag } = answer
  const plain = headersFor[audience](answer, info.requestId)
  const headers = format?.startsWith('strapi') ? { ...plain, Vary: 'Strapi-Response-Format' } : plain
  info.finished = true
  const known = matches(request.headers.get('if-none-match') ?? undefined, etag)
  if (known) return new Response(null, { status: 304, headers })
  if (request.method === 'HEAD')
    return new Response(null, { headers: { ...headers, 'Content-Length': String(body.length) } })
  return new Response(body, { headers })
}
