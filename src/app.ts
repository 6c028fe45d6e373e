import type { Hono } from 'hono'
import type { Config } from './config.js'
import type { Ids } from './ids.js'
import { authenticationBy } from './middleware/authenticate.js'
import { htmlPolicy, storageOrigins } from './middleware/content-security-policy.js'
import type { Env, Peer, RequestInfo } from './middleware/context.js'
import { crossOrigin } from './middleware/cross-origin.js'
import { jsonErrors } from './middleware/errors.js'
import { headers, htmlHeaders } from './middleware/headers.js'
import { requestLog } from './middleware/request-log.js'
import { clientAddresses } from './net/client-address.js'
import type { Ports } from './ports.js'
import { adminTreeRoutes } from './routes/api/admin-tree.js'
import { deliveryRoutes, pageFastPath, workingPages } from './routes/api/delivery.js'
import { docsRoutes } from './routes/api/docs.js'
import { apiParts, mediaParts, spaceParts } from './routes/api/index.js'
import { type ApiKit, adminSpace, mediaKits, publicSpace } from './routes/api/kit.js'
import { openApiRoutes } from './routes/api/openapi.js'
import { records } from './routes/crud-routes.js'
import type { Declaration, Endpoints } from './routes/endpoints.js'
import { htmlErrors } from './routes/html-errors.js'
import type { PageRequests } from './routes/page-requests.js'
import { addressOf } from './routes/page-requests.js'
import { publicRoutes } from './routes/public.js'
import { surface } from './routes/surface.js'
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

type Answer = Response | Promise<Response>

const apiPrefix = '/api/v1'
const docsPrefix = '/api/docs'

/** Every router of the API but the one of its description. */
function apiRouters(kit: ApiKit, requests: PageRequests): Endpoints[] {
  const spaces = [publicSpace(kit), adminSpace(kit)]
  return [
    ...apiParts.map(part => part(kit)),
    ...spaces.flatMap(space => spaceParts.map(part => part(space))),
    ...mediaKits(kit).flatMap(space => mediaParts.map(part => part(space))),
    deliveryRoutes(kit, requests),
    adminTreeRoutes(kit),
  ]
}

/** What the router answers: the API, and its description for people. */
function surfaces({ services, ports, config, version }: AppParts, kit: ApiKit, requests: PageRequests) {
  const routers = apiRouters(kit, requests)
  const described = openApiRoutes(
    kit,
    routers.flatMap(router => router.declarations),
    version,
  )
  const declarations = [...routers, described.api].flatMap(router => router.declarations)
  const secure = !config().environment.startsWith('local')
  const api = surface({
    prefix: apiPrefix,
    routers: [...routers, described.api],
    errors: jsonErrors(ports.log),
    headers: headers(secure),
    before: [['/auth/*', crossOrigin(config)]],
  })
  const docs = surface({
    prefix: docsPrefix,
    routers: [docsRoutes(kit.authentication, declarations, described.document)],
    errors: htmlErrors(ports.log),
    headers: htmlHeaders(secure, ports.random, nonce =>
      htmlPolicy(nonce, { media: storageOrigins([services.media, services.adminMedia]) }),
    ),
  })
  return { declarations, api, docs }
}

/** The address of a client, also behind the configured proxies. */
function addressesBehind(proxies: readonly string[]) {
  const addressOfClient = clientAddresses(proxies)
  return proxies.length === 0
    ? (_: Request, peer: Peer) => peer.address
    : (request: Request, peer: Peer) => addressOfClient(peer.address, request.headers.get('x-forwarded-for'))
}

/** The whole service as one handler of Fetch requests. It does no I/O but through the services and ports. */
export function createApp(parts: AppParts): App {
  const { services, ports, ids, config } = parts
  const kit: ApiKit = {
    services,
    authentication: authenticationBy(services, config),
    records: records(ports.hashing),
    config,
  }
  const requests = workingPages(kit)
  const fastPath = pageFastPath(kit, requests)
  const { declarations, api, docs } = surfaces(parts, kit, requests)
  const site = publicRoutes(services.space.pages, config, ports.log)
  const addressIn = addressesBehind(config().trusted_proxies)
  const logged = requestLog(ports)

  const bySurface = (to: Hono<Env>, request: Request, info: RequestInfo): Promise<Response> =>
    logged(request, info, async () => to.fetch(request, info))

  // Pages, here and to the public, are not logged one by one.
  const answerService = (request: Request, info: RequestInfo): Answer => {
    const byRouter = () => bySurface(isUnder(docsPrefix, addressOf(request.url)) ? docs : api, request, info)
    return fastPath(request, info, byRouter) ?? byRouter()
  }

  return {
    declarations,
    fetch: (request, peer = {}) => {
      const info: RequestInfo = { address: addressIn(request, peer), requestId: ids.ulid() }
      const ours = isServicePath(request.url, request.url.indexOf('/', 8))
      return ours ? answerService(request, info) : site(request, info)
    },
  }
}

/** Whether an address is the prefix itself or under it. */
const isUnder = (prefix: string, address: string): boolean =>
  address.startsWith(prefix) && /^(?:$|[/?])/.test(address.slice(prefix.length, prefix.length + 1))
