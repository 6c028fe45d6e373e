import type { Config } from '../config.js'
import { invalid, notFound } from '../errors.js'
import { isUlid } from '../ids.js'
import type { RequestInfo } from '../middleware/context.js'
import type { Pieces, PublishedPageService } from '../services/delivery/published-pages.js'
import type { RenderedPage } from '../services/delivery/rendered-page.js'
import { originOf } from '../services/site-origin.js'
import { matches } from './accepted.js'

const encoder = new TextEncoder()
const isSearched = ({ environment }: Config): boolean => environment.startsWith('production')

const isLocal = ({ environment }: Config): boolean => /^(local|development)/.test(environment)

/** The origin of the site. Only on developers' machines the request gives it: nobody else gets the response there. */
function originFor(config: Config, url: string): { origin: string; isOfRequest: boolean } | undefined {
  const origin = originOf(config)
  if (origin !== '') return { origin, isOfRequest: false }
  if (!isLocal(config)) return undefined
  return { origin: new URL(url).origin, isOfRequest: true }
}

function robotsOf(config: Config): string {
  const { robots_txt, sitemap_enabled } = config
  if (robots_txt !== undefined) return robots_txt
  if (!isSearched(config)) return 'User-agent: *\nDisallow: /\n'
  const origin = originOf(config)
  const sitemap = sitemap_enabled && origin !== '' ? `\nSitemap: ${origin}/sitemap.xml\n` : ''
  return `User-agent: *\nDisallow: /api/\nDisallow: /admin/\n${sitemap}`
}

/** True if a text of robots.txt keeps every program away from the whole site. */
function forbidsAll(text: string): boolean {
  let isForAll = false
  let wasAgent = false
  for (const line of text.split(/\r\n?|\n/)) {
    const [, name = '', value = ''] = /^\s*([a-z-]{1,20})\s*:\s*([^#]*)/i.exec(line) ?? []
    const isAgent = name.toLowerCase() === 'user-agent'
    if (isAgent) isForAll = (wasAgent && isForAll) || value.trim() === '*'
    else if (isForAll && name.toLowerCase() === 'disallow' && value.trim() === '/') return true
    if (name !== '') wasAgent = isAgent
  }
  return false
}

/** Whether language models may know the pages: where robots.txt forbids them nothing, and on developers' machines. */
const isForModels = (config: Config): boolean =>
  config.llms_txt_enabled &&
  config.sitemap_enabled &&
  (isLocal(config) || !config.robots_enabled || !forbidsAll(robotsOf(config)))

function streamed(pieces: AsyncGenerator<string>, info: RequestInfo): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await pieces.next()
        if (next.done) controller.close()
        else controller.enqueue(encoder.encode(next.value))
      } catch (error) {
        const { breakOff } = info.peer
        if (!breakOff) throw error
        breakOff(error)
        controller.close()
      }
    },
    cancel: () => pieces.return(undefined).then(() => undefined),
  })
}

/** The requested part of the sitemap. @throws 400 for a part that no index has named */
function rangeIn(search: string) {
  const query = new URLSearchParams(search)
  const [after, until] = [query.get('after'), query.get('until') ?? undefined]
  if (after === null && until === undefined) return undefined
  for (const [name, id] of [
    ['after', after ?? ''],
    ['until', until ?? ''],
  ] as const)
    if (id !== '' && !isUlid(id)) throw invalid(name, 'must be an id from the sitemap index')
  return { after: after ?? '', until }
}

function headersOf(
  { etag, tags }: { etag?: string; tags?: string },
  info: RequestInfo,
  type: string,
  isOfRequest = false,
): Record<string, string> {
  return {
    'Content-Type': type,
    'X-Content-Type-Options': 'nosniff',
    // A file that names the host of this request must not be cached for other hosts.
    'Cache-Control': isOfRequest
      ? 'no-store'
      : 'public, max-age=0, stale-while-revalidate=30, stale-if-error=86400',
    'Access-Control-Allow-Origin': '*',
    'X-Request-Id': info.requestId,
    ...(etag === undefined ? {} : { ETag: etag }),
    ...(tags === undefined || isOfRequest ? {} : { 'Surrogate-Key': tags }),
  }
}

function answer(
  request: Request,
  info: RequestInfo,
  file: RenderedPage | Pieces,
  headers: Record<string, string>,
): Response {
  info.finished = true
  if (matches(request.headers.get('if-none-match') ?? undefined, file.etag))
    return new Response(null, { status: 304, headers })
  const isHead = request.method === 'HEAD'
  if ('pieces' in file) return new Response(isHead ? null : streamed(file.pieces(), info), { headers })
  const length = { 'Content-Length': String(file.body.length) }
  return isHead
    ? new Response(null, { headers: { ...headers, ...length } })
    : new Response(file.body, { headers })
}

/**
 * `/sitemap.xml`, `/robots.txt` and `/llms.txt` of the site; undefined for other addresses, and if the configuration switches them
 * off.
 */
export function siteFiles(pages: PublishedPageService, config: () => Config) {
  async function sitemap(request: Request, info: RequestInfo, search: string): Promise<Response> {
    const site = originFor(config(), request.url)
    if (!site) throw notFound('there is no sitemap until client_site is set in the configuration')
    const range = rangeIn(search)
    const file = await pages.sitemap(site.origin, range)
    return answer(
      request,
      info,
      file,
      headersOf(file, info, 'application/xml; charset=UTF-8', site.isOfRequest),
    )
  }

  async function llms(request: Request, info: RequestInfo): Promise<Response> {
    const site = originFor(config(), request.url)
    if (!site) throw notFound('there is no llms.txt until client_site is set in the configuration')
    const { site_name: name = site.origin.replace(/^\w+:\/\//, ''), site_summary: summary = '' } = config()
    const file = await pages.llms({ origin: site.origin, name, summary })
    return answer(
      request,
      info,
      file,
      headersOf(file, info, 'text/markdown; charset=utf-8', site.isOfRequest),
    )
  }

  function robots(request: Request, info: RequestInfo): Response {
    info.finished = true
    const body = encoder.encode(robotsOf(config()))
    const headers = {
      ...headersOf({}, info, 'text/plain; charset=UTF-8'),
      'Content-Length': String(body.length),
    }
    return new Response(request.method === 'HEAD' ? null : body, { headers })
  }

  return (request: Request, info: RequestInfo, address: string): Response | Promise<Response> | undefined => {
    if (!/^\/(?:sitemap\.xml|robots\.txt|llms\.txt)/.test(address)) return undefined
    const at = address.indexOf('?')
    const path = at < 0 ? address : address.slice(0, at)
    if (path === '/robots.txt' && config().robots_enabled) return robots(request, info)
    if (path === '/llms.txt' && isForModels(config())) return llms(request, info)
    if (path === '/sitemap.xml' && config().sitemap_enabled)
      return sitemap(request, info, at < 0 ? '' : address.slice(at))
    return undefined
  }
}
