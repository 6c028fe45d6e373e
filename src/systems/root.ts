import type { ErrorHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { missingPermission } from '../errors.js'
import { callerInMemory, requireAccess } from '../middleware/authenticate.js'
import type { Ctx, Env, RequestInfo } from '../middleware/context.js'
import { exposedByPages } from '../middleware/cross-origin.js'
import { type Failure, failureOf } from '../middleware/errors.js'
import type { Log } from '../ports.js'
import type { ApiContext } from '../routes/context.js'
import { endpoints } from '../routes/endpoints.js'
import { answerWith } from '../routes/page-answer.js'
import { addressOf } from '../routes/page-requests.js'
import { surrogateKeys } from '../services/content/surrogate-keys.js'
import { audienceOf } from '../services/delivery/audience.js'
import type { CompatAnswer, CompatSite, Written } from '../services/delivery/compat/compat.js'

export const compatPrefix = '/compat'

/** Reads only: a query that is too long for an address is sent by POST. */
export const compatMethods = 'GET, HEAD, POST'

const access = 'content:read'

const isOfSanity = (url: string): boolean => url.includes(`${compatPrefix}/sanity/`)

/** Headers that choose an answer, and the part of their value that does: only that part is in the cache key. */
const choosing = {
  'strapi-response-format': (value: string) => (value === 'v4' ? 'v4' : ''),
  'x-sanity-project-id': (value: string) => (/^[a-z0-9-]{1,40}$/.test(value) ? value : ''),
} as const
type ChoosingHeader = keyof typeof choosing
const choosingHeaders = Object.keys(choosing) as ChoosingHeader[]

/**
 * A header that chooses an answer. Handlers read no header in another way, because cached answers are found by these
 * (D-800).
 */
export const chosenBy = ({ headers }: Request, name: ChoosingHeader): string =>
  choosing[name](headers.get(name) ?? '')

/**
 * Cache key of an answer: the address as it was sent, the headers that choose an answer, and whether there is a key:
 * without one, content that is not public is left out.
 */
function requestKey(request: Request): string {
  const { url, headers } = request
  const key = headers.has('authorization') ? 'key' : ''
  const chosen = choosingHeaders.map(name => chosenBy(request, name))
  return `${chosen.join()},${key} ${url}`
}

/** Clients that hear of a change ask again at once; otherwise the browser would show its cached response. */
const neverStale = { 'Cache-Control': 'public, max-age=0, must-revalidate' } as const

function answered(request: Request, info: RequestInfo, answer: CompatAnswer): Response {
  const names = Object.keys(answer.headers)
  const exposed =
    answer.isPublic && names.length > 0
      ? { 'Access-Control-Expose-Headers': [exposedByPages, ...names].join(', ') }
      : {}
  const format = request.url.includes(`${compatPrefix}/strapi/`) ? 'strapi' : 'native'
  const more = {
    ...answer.headers,
    ...exposed,
    ...(answer.isPublic && isOfSanity(request.url) ? neverStale : {}),
  }
  if (answer.location !== undefined) return redirectedTo(answer.location, answer.isPublic, info)
  return answerWith(
    request,
    info,
    answer,
    answer.isPublic ? 'public' : 'private',
    { format, isOpen: false },
    more,
  )
}

/** Pictures are rendered again under other names, so that it is not remembered for long where they are. */
function redirectedTo(Location: string, isPublic: boolean, info: RequestInfo): Response {
  info.finished = true
  return new Response(null, {
    status: 302,
    headers: {
      Location,
      'Cache-Control': isPublic ? 'public, max-age=60' : 'private, no-store',
      ...(isPublic ? { 'Surrogate-Key': `compat ${surrogateKeys.content}` } : {}),
      Vary: 'Accept',
      'X-Content-Type-Options': 'nosniff',
      'Access-Control-Allow-Origin': '*',
      'X-Request-Id': info.requestId,
    },
  })
}

/** The query of an address, without its question mark. */
export function searchOf(url: string): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at + 1)
}

/** Answers without the router and without waiting, when the answer and the rights of its caller are in memory. */
export function compatFastPath({ services: { access: rights, space }, authentication }: ApiContext) {
  return (request: Request, info: RequestInfo): Response | undefined => {
    if (request.method !== 'GET' || !addressOf(request.url).startsWith(`${compatPrefix}/`)) return undefined
    const found = space.compat.inMemory(requestKey(request))
    if (!found) return undefined
    const caller = callerInMemory(authentication, request)
    const isFor = caller ? rights.canCached(caller, access) === true : caller === null && found.isPublic
    if (!isFor) return undefined
    if (caller) info.identity = caller
    info.route = compatPrefix
    return answered(request, info, found)
  }
}

type Write = (site: CompatSite) => Promise<Written> | Written

interface Asked {
  readonly write: Write
  /** True if the request wants drafts, which takes a key that may change content. */
  readonly drafts?: boolean
  /** A part of the cache key beside the address; null to cache no response. */
  readonly beside?: string | null | undefined
}

function answering({ services, authentication }: ApiContext) {
  const { compat } = services.space
  return async (c: Ctx, { write, drafts = false, beside = '' }: Asked): Promise<Response> => {
    const allow = () => requireAccess(c, access, authentication)
    if (drafts && (await audienceOf(services.access, await allow())) === 'public')
      throw missingPermission('content:update')
    const caller = { allow, hasKey: hasCredentials(c) }
    const asked = { audience: drafts ? 'working' : 'public', caller } as const
    const key = beside === null ? undefined : `${requestKey(c.req.raw)}${beside && `\n${beside}`}`
    return answered(c.req.raw, c.env, await compat.answer(key, asked, async site => write(site)))
  }
}

/** The endpoints of one system, open to every caller. @param title the name of the system */
export function door(context: ApiContext, system: string, title: string) {
  const api = endpoints(system, context.authentication)
  const options = { summary: `As ${title} answers`, anyQuery: true } as const
  const answer = answering(context)
  return {
    api,
    options,
    answer,
    addressOf: addresses(context, system),
    get(path: string, asked: (c: Ctx) => Write | Asked): void {
      api.get(path, 'public', options, async c => {
        const given = asked(c)
        return answer(c, typeof given === 'function' ? { write: given } : given)
      })
    },
  }
}

/** True if the request has credentials, valid or not. */
export const hasCredentials = (c: Ctx): boolean => c.req.header('authorization') !== undefined

/**
 * The address of a path of one system's root, at the host that was asked. A proxy in front serves HTTPS wherever the
 * service itself does not, but on the own machine.
 */
const addresses = ({ config }: ApiContext, system: string) => {
  const isLocal = config().environment.startsWith('local')
  return (c: Ctx, path: string): string => {
    const { protocol, host } = new URL(c.req.url)
    return `${isLocal ? protocol : 'https:'}//${host}${compatPrefix}/${system}${path}`
  }
}

/** Errors in the body of another system, which every script may read. */
export const foreignErrors =
  (
    log: Log,
    body: (failure: Failure, c: Ctx) => { readonly status: number; readonly body: unknown },
  ): ErrorHandler<Env> =>
  (error, c) => {
    const at = { request_id: c.env.requestId, method: c.req.method, path: c.req.path }
    const failure = failureOf(log, error, at)
    const told = body(failure, c)
    return c.json(told.body as object, told.status as ContentfulStatusCode, {
      ...failure.headers,
      'Access-Control-Allow-Origin': '*',
    })
  }

/** A key that comes as the password of basic authentication, as an application password of WordPress does. */
export function withBearer(request: Request): Request {
  const given = /^basic ([A-Za-z0-9+/=]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  if (given === undefined) return request
  const headers = new Headers(request.headers)
  headers.set('Authorization', `Bearer ${passwordIn(given)}`)
  return new Request(request, { headers })
}

function passwordIn(encoded: string): string {
  try {
    const text = atob(encoded)
    // WordPress shows its passwords in groups.
    return text.slice(text.indexOf(':') + 1).replaceAll(' ', '')
  } catch {
    return ''
  }
}
