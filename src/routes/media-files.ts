import { methodNotAllowed, notFound } from '../errors.js'
import { mediaFilesPath } from '../media-folder.js'
import { filePolicy } from '../middleware/content-security-policy.js'
import type { RequestInfo } from '../middleware/context.js'
import { publicPreflight } from '../middleware/cross-origin.js'
import { errorAnswer } from '../middleware/errors.js'
import { cacheControl } from '../object-headers.js'
import type { Log } from '../ports.js'
import type { Services } from '../services/index.js'
import type { ServedObject, Wanted } from '../services/media/served.js'
import { matches } from './accepted.js'
import { addressOf } from './page-requests.js'

/** No object has a longer address: a key has at most 1024 bytes, and a name 255 characters. */
const maxAddressLength = 8192

/** On every answer: the file of one site is shown by others, and is nothing that a browser would run. */
const always = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': filePolicy,
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Accept-Ranges, Content-Length, Content-Range, ETag, X-Request-Id',
} as const

/** Each part of the path by itself, because an encoded slash or dot is part of a name and leads nowhere. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw notFound()
  }
}

function wantedIn(url: string): Wanted {
  const address = addressOf(url)
  if (address.length > maxAddressLength) throw notFound()
  const [path = '', search = ''] = address.split('?', 2)
  const [bucket = '', ...names] = path
    .slice(mediaFilesPath.length + 1)
    .split('/')
    .map(decoded)
  if (names.some(name => name.includes('/'))) throw notFound()
  const query = new URLSearchParams(search)
  const signature = query.get('signature')
  const [name, expires] = [query.get('name') ?? '', query.get('expires') ?? '']
  return {
    bucket,
    key: names.join('/'),
    permit: signature === null ? undefined : { name, expires, signature },
  }
}

interface Range {
  readonly from: number
  readonly length: number
}

/** The part that a request asks for: undefined for the whole, `none` if there is no such part. */
function rangeOf(header: string | null, size: number): Range | 'none' | undefined {
  // Several ranges at once, and other units, may be answered with the whole (RFC 9110, 14.2).
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  const from = first === '' ? Math.max(size - Number(last), 0) : Number(first)
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  return from <= to ? { from, length: to - from + 1 } : 'none'
}

/** Whether the part that a client has is of this content, so that the rest fits (RFC 9110, 13.1.5). */
const fits = (condition: string | null, etag: string, modified: string): boolean =>
  condition === null || condition === etag || condition === modified

function isUnchanged({ headers }: Request, etag: string, modified: string): boolean {
  const tags = headers.get('if-none-match')
  if (tags !== null) return matches(tags, etag)
  return Date.parse(headers.get('if-modified-since') ?? '') >= Date.parse(modified)
}

function answer(request: Request, requestId: string, served: ServedObject): Response {
  const { object, mimetype, disposition, replaceable, isPrivate } = served
  const { size } = object
  const etag = `"${object.version}"`
  const modified = new Date(object.modified).toUTCString()
  const headers: Record<string, string> = {
    ...always,
    ETag: etag,
    'Last-Modified': modified,
    'Accept-Ranges': 'bytes',
    'Cache-Control': isPrivate ? 'private, no-store' : cacheControl(replaceable),
    'X-Request-Id': requestId,
  }
  if (isUnchanged(request, etag, modified)) return new Response(null, { status: 304, headers })
  headers['Content-Type'] = mimetype
  if (disposition !== undefined) headers['Content-Disposition'] = disposition
  const isHead = request.method === 'HEAD'
  const part =
    !isHead && fits(request.headers.get('if-range'), etag, modified)
      ? rangeOf(request.headers.get('range'), size)
      : undefined
  if (part === 'none') {
    const refused = { ...always, 'Content-Range': `bytes */${size}`, 'X-Request-Id': requestId }
    return new Response(null, { status: 416, headers: { ...refused, 'Cache-Control': 'no-store' } })
  }
  const { from, length } = part ?? { from: 0, length: size }
  headers['Content-Length'] = String(length)
  if (part) headers['Content-Range'] = `bytes ${from}-${from + length - 1}/${size}`
  const body = isHead || length === 0 ? null : object.bytes(from, length)
  return new Response(body, { status: part ? 206 : 200, headers })
}

/** Media and backups in a folder of this machine, at the addresses that a store would serve otherwise. */
export const mediaFiles =
  (find: Services['servedMedia'], log: Log) =>
  async (request: Request, info: RequestInfo): Promise<Response> => {
    const { method, url } = request
    info.route = `${mediaFilesPath}/*`
    const preflight = publicPreflight(request, info)
    if (preflight) return preflight
    try {
      if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD'])
      return answer(request, info.requestId, await find(wantedIn(url)))
    } catch (error) {
      const headers = { ...always, 'Cache-Control': 'no-store', 'X-Request-Id': info.requestId }
      const path = addressOf(url).split('?', 1)[0] as string
      return errorAnswer(log, error, { request_id: info.requestId, method, path }, headers)
    }
  }
