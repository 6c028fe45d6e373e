import { Hono } from 'hono'
import { methodNotAllowed as refuseOtherMethods } from 'hono/method-not-allowed'
import type { Config } from './config.js'
import { methodNotAllowed, notFound } from './errors.js'
import type { Ids } from './ids.js'
import type { Authentication } from './middleware/authenticate.js'
import type { Env, Peer, RequestInfo } from './middleware/context.js'
import { crossOrigin } from './middleware/cross-origin.js'
import { errors } from './middleware/errors.js'
import { headers } from './middleware/headers.js'
import { sessionCookie } from './middleware/session-cookie.js'
import { clientAddresses } from './net/client-address.js'
import type { Ports } from './ports.js'
import { adminTreeRoutes } from './routes/api/admin-tree.js'
import { deliveryRoutes, pageFastPath, workingPages } from './routes/api/delivery.js'
import { apiParts, mediaParts, spaceParts } from './routes/api/index.js'
import { type ApiKit, adminSpace, mediaKits, publicSpace } from './routes/api/kit.js'
import { openApiRoutes } from './routes/api/openapi.js'
import { records } from './routes/crud-routes.js'
import { type Declaration, endpoints, isDeclared } from './routes/endpoints.js'
import { addressOf } from './routes/page-requests.js'
import { publicRoutes } from './routes/public.js'
import type { Services } from './services/index.js'
import { isServicePath } from './services/text.js'

export interface App {
  fetch(request: Request, peer?: Peer): Response | Promise<Response>
  /** Every endpoint of the API, for the OpenAPI document and for the table of who may call what. */
  readonly declarations: readonly Declaration[]
}

export interface AppParts {
  services: Services
  ports: Ports
  ids: Ids
  config: () => Config
  version: string
}

const prefix = '/api/v1'

/** The whole service as one handler of Fetch requests. It does no I/O but through the services and ports. */
export function createApp({ services, ports, ids, config, version }: AppParts): App {
  const { log, clock, hashing } = ports
  const authentication: Authentication = {
    auth: services.auth,
    access: services.access,
    rateLimiter: services.rateLimiter,
    cookie: sessionCookie(config),
    cookieName: () => config().cookie_name,
  }
  const kit: ApiKit = { services, authentication, records: records(hashing), config }
  const requests = workingPages(kit)
  const fastPath = pageFastPath(kit, requests)
  const spaces = [publicSpace(kit), adminSpace(kit)]
  const parts = [
    ...apiParts.map(part => part(kit)),
    ...spaces.flatMap(space => spaceParts.map(part => part(space))),
    ...mediaKits(kit).flatMap(space => mediaParts.map(part => part(space))),
    deliveryRoutes(kit, requests),
    adminTreeRoutes(kit),
  ]
  const described = openApiRoutes(
    kit,
    parts.flatMap(part => part.declarations),
    version,
  )
  parts.push(described.api)
  const declarations = parts.flatMap(part => part.declarations)

  const api = new Hono<Env>({ strict: false })
  const refuse = errors(log)
  api.onError(refuse)
  api.notFound(c => refuse(notFound(), c))
  api.use(headers(!config().environment.startsWith('local')))
  api.use(`${prefix}/auth/*`, crossOrigin(config))
  api.use(
    refuseOtherMethods({
      app: api,
      onMethodNotAllowed: (c, methods) => refuse(methodNotAllowed(methods), c),
    }),
  )
  for (const part of parts) api.route(prefix, part.app)
  const docs = endpoints('docs', authentication)
  docs.get('/api/docs', 'public', { summary: 'The API for people' }, async c => {
    const { DocsPage } = await import('./routes/docs.js')
    return c.html(`<!doctype html>${DocsPage({ declarations, document: await described.document() })}`)
  })
  api.route('/', docs.app)

  // A handler that came without a declaration would have no access word: the service does not start with one.
  const undeclared = api.routes.find(({ method, handler }) => method !== 'ALL' && !isDeclared(handler))
  if (undeclared) throw new Error(`${undeclared.method} ${undeclared.path} is not declared`)

  const addressOfClient = clientAddresses(config().trusted_proxies)
  const behindProxy = config().trusted_proxies.length > 0
  const addressIn = (request: Request, peer: Peer) =>
    behindProxy ? addressOfClient(peer.address, request.headers.get('x-forwarded-for')) : peer.address
  const site = publicRoutes(services.space.pages, config, log)

  function logged(request: Request, info: RequestInfo, from: number, answer: Response): Response {
    log.info(
      {
        request_id: info.requestId,
        method: request.method,
        path: addressOf(request.url).split('?', 1)[0],
        status: answer.status,
        ms: clock.now() - from,
        user_id: info.identity?.userId,
        address: info.address,
      },
      'request',
    )
    return answer
  }

  async function answerByRouter(request: Request, info: RequestInfo): Promise<Response> {
    const from = clock.now()
    return logged(request, info, from, await api.fetch(request, info))
  }

  // Pages, here and to the public, are not logged one by one.
  const answerApi = (request: Request, info: RequestInfo): Response | Promise<Response> => {
    const byRouter = () => answerByRouter(request, info)
    return fastPath(request, info, byRouter) ?? byRouter()
  }

  return {
    declarations,
    fetch: (request, peer = {}) => {
      const info: RequestInfo = { address: addressIn(request, peer), requestId: ids.ulid() }
      const ours = isServicePath(request.url, request.url.indexOf('/', 8))
      return ours ? answerApi(request, info) : site(request, info)
    },
  }
}
