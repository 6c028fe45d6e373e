import { HttpError } from '../errors.js'
import type { RequestInfo } from '../middleware/context.js'
import { exposedByPages } from '../middleware/cross-origin.js'
import { securityHeaders } from '../middleware/headers.js'
import type { RedirectService } from '../services/content/redirects.js'
import type { FormatName } from '../services/delivery/formats/index.js'
import { type GlobalsRequest, type PageRequest, pageRequest } from '../services/delivery/page-request.js'
import type { PageService } from '../services/delivery/pages.js'
import type { RenderedPage } from '../services/delivery/rendered-page.js'
import { matches, prefersMarkdown } from './accepted.js'
import { isRedirect, type Redirect, redirectAnswer } from './redirect-answer.js'

// Each written out whole: on the hottest path an object that is put together costs more than all else here.
const headersFor = {
  public: ({ etag: ETag, tags }: RenderedPage, requestId: string) => ({
    'Content-Type': 'application/json',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'public, max-age=0, stale-while-revalidate=30, stale-if-error=86400',
    'Surrogate-Key': tags,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': exposedByPages,
    ETag,
    'X-Request-Id': requestId,
  }),
  private: ({ etag: ETag }: RenderedPage, requestId: string) => ({
    'Content-Type': 'application/json',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': securityHeaders['Content-Security-Policy'],
    'Cache-Control': 'private, no-cache',
    ETag,
    'X-Request-Id': requestId,
  }),
  preview: ({ etag: ETag }: RenderedPage, requestId: string) => ({
    'Content-Type': 'application/json',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': securityHeaders['Content-Security-Policy'],
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex',
    ETag,
    'X-Request-Id': requestId,
  }),
} as const

interface Source<Wanted> {
  inFormat(wanted: Wanted, format: FormatName): Wanted
  inMemory(wanted: Wanted): RenderedPage | undefined
  read(wanted: Wanted): Promise<RenderedPage | Redirect>
}

export const pageSource = (pages: PageService): Source<PageRequest> => ({
  inFormat: (wanted, format) => pageRequest({ ...wanted, format }),
  inMemory: wanted => pages.inMemory(wanted),
  read: wanted => pages.page(wanted),
})

/**
 * `pageSource` that gives the redirect of a missing page, for one more query.
 * @param prefix in front of the slugs
 * @param page reads a page
 */
export const movedPageSource = (
  pages: PageService,
  redirects: RedirectService,
  prefix: string,
  page = (wanted: PageRequest) => pages.page(wanted),
): Source<PageRequest> => ({
  ...pageSource(pages),
  async read(wanted) {
    try {
      return await page(wanted)
    } catch (error) {
      const found = error instanceof HttpError && error.status === 404 && (await redirects.of(wanted))
      if (!found) throw error
      return { ...found, prefix }
    }
  },
})

/** Pages as their rows are now, never as they were rendered before. */
export const rowsSource = (pages: PageService): Source<PageRequest> => ({
  ...pageSource(pages),
  inMemory: () => undefined,
  read: wanted => pages.built(wanted),
})

export const globalsSource = (pages: PageService): Source<GlobalsRequest> => ({
  inFormat: (wanted, format) => ({ ...wanted, format }),
  inMemory: () => undefined,
  read: wanted => pages.globals(wanted),
})

export type Deliver<Wanted> = (
  request: Request,
  info: RequestInfo,
  wanted: Wanted,
  /** Answers when the source fails; without it the failure is the caller's. */
  failed?: (error: unknown, request: Request, info: RequestInfo) => Response | Promise<Response>,
) => Response | Promise<Response>

/**
 * The only way by which content leaves the service: in the variant of its format that a header names, with a strong
 * ETag or as 304, and with headers for caches. Cached content is answered without waiting.
 */
export const deliveries =
  <Wanted extends { readonly format: FormatName; readonly isOpen: boolean }>(
    visibility: keyof typeof headersFor,
    source: Source<Wanted>,
  ): Deliver<Wanted> =>
  (request, info, asked, failed) => {
    const variant = variantOf(asked, request)
    const wanted = variant === asked.format ? asked : source.inFormat(asked, variant)
    const ready = source.inMemory(wanted)
    if (ready) return answerWith(request, info, ready, visibility, wanted)
    return source
      .read(wanted)
      .then(
        answer =>
          isRedirect(answer)
            ? redirectAnswer(request, info, answer, visibility === 'public')
            : answerWith(request, info, answer, visibility, wanted),
        failed && (error => failed(error, request, info)),
      )
  }

interface Chosen {
  readonly format: FormatName
  readonly isOpen: boolean
}

/** The format that is answered: a header may ask for another one. */
function variantOf({ format, isOpen }: Chosen, { headers }: Request): FormatName {
  if (isOpen && prefersMarkdown(headers.get('accept'))) return 'markdown'
  return format === 'strapi' && headers.get('strapi-response-format') === 'v4' ? 'strapi-v4' : format
}

/** The headers by which answers to one address differ. */
function varyOf({ format, isOpen }: Chosen): string | undefined {
  const isStrapi = format.startsWith('strapi')
  if (isOpen) return isStrapi ? 'Accept, Strapi-Response-Format' : 'Accept'
  return isStrapi ? 'Strapi-Response-Format' : undefined
}

/**
 * A cache that knows no `Vary` would give Markdown that a header has asked for to all who ask without it: no shared cache
 * stores it, and it has no keys. Under `format=markdown` all do. The page itself is what search engines should find.
 */
function markdownHeaders({ url }: RenderedPage, isOpen: boolean, isPublic: boolean): Record<string, string> {
  return {
    'Content-Type': 'text/markdown; charset=utf-8',
    ...(isPublic && isOpen ? { 'Cache-Control': 'private, no-cache' } : {}),
    ...(isPublic && url !== undefined ? { Link: `<${url}>; rel="canonical"` } : {}),
  }
}

const byName: Chosen = { format: 'native', isOpen: false }

/**
 * A rendered page with its strong ETag, or 304 when the caller has it already. Caches may store it, ask again each
 * time, and show it for half a minute while they ask; CDNs can purge it by the ids of its route and its root entry.
 * With an `Age` nobody could be asked whether it is current (RFC 9111, 5.1).
 */
export function answerWith(
  request: Request,
  info: RequestInfo,
  answer: RenderedPage,
  visibility: keyof typeof headersFor,
  chosen: Chosen = byName,
  more?: Readonly<Record<string, string>>,
): Response {
  const { body, etag, ageSeconds } = answer
  const own = headersFor[visibility](answer, info.requestId)
  const aged = ageSeconds === undefined ? own : { ...own, Age: String(Math.floor(ageSeconds)) }
  const plain = more ? { ...aged, ...more } : aged
  const vary = varyOf(chosen)
  const varied = vary === undefined ? plain : { ...plain, Vary: vary }
  const isMarkdown = chosen.format === 'markdown'
  const headers: Record<string, string> = isMarkdown
    ? { ...varied, ...markdownHeaders(answer, chosen.isOpen, visibility === 'public') }
    : varied
  if (isMarkdown && chosen.isOpen) delete headers['Surrogate-Key']
  info.finished = true
  const known = matches(request.headers.get('if-none-match') ?? undefined, etag)
  if (known) return new Response(null, { status: 304, headers })
  if (request.method === 'HEAD')
    return new Response(null, { headers: { ...headers, 'Content-Length': String(body.length) } })
  return new Response(body, { headers })
}
