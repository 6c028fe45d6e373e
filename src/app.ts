import type { Config } from './config.js'
import type { Ids } from './ids.js'
import { mediaFilesPath } from './media-folder.js'
import { authenticationBy } from './middleware/authenticate.js'
import { hashSource, htmlPolicy, storageOrigins } from './middleware/content-security-policy.js'
import type { Peer, RequestInfo } from './middleware/context.js'
import { crossOrigin, publicPreflight } from './middleware/cross-origin.js'
import { jsonErrors } from './middleware/errors.js'
import { headers, htmlHeaders } from './middleware/headers.js'
import { isRefusal, requestLog } from './middleware/request-log.js'
import { clientAddresses } from './net/client-address.js'
import { onDemand } from './on-demand.js'
import type { Ports } from './ports.js'
import { adminTreeRoutes } from './routes/api/admin-tree.js'
import { deliveryRoutes, type PagesByAudience, pageFastPath, pagesByAudience } from './routes/api/delivery.js'
import { docsRoutes } from './routes/api/docs.js'
import { apiRouters, mediaRouters, spaceRouters } from './routes/api/index.js'
import { openApiRoutes } from './routes/api/openapi.js'
import { queryFastPath } from './routes/api/query.js'
import { type ApiContext, adminSpace, mediaContexts, publicSpace } from './routes/context.js'
import { recordResponses } from './routes/crud-routes.js'
import { docsScript } from './routes/docs-script.js'
import { docsStyle } from './routes/docs-style.js'
import type { Declaration, Endpoints } from './routes/endpoints.js'
import { fixedDocument } from './routes/fixed-document.js'
import { htmlErrors } from './routes/html-errors.js'
import { addressOf } from './routes/page-requests.js'
import { publicRoutes } from './routes/public.js'
import { byReader, type Fetcher } from './routes/readers.js'
import { surface } from './routes/surface.js'
import type { Services } from './services/index.js'
import { isServicePath } from './services/text.js'
import { compatFastPath, compatMethods, compatPrefix } from './systems/root.js'

export interface App {
  fetch(request: Request, peer?: Peer): Response | Promise<Response>
  readonly declarations: readonly Declaration[]
}

export interface AppParts {
  services: Services
  ports: Ports
  ids: Ids
  config: () => Config
  version: string
  /** Runs the commands of the command line for the holders of keys, where the runtime has them. */
  commands?: (context: ApiContext, settings: { log: Ports['log']; secure: boolean }) => Promise<Fetcher>
}

type Answer = ReturnType<Fetcher['fetch']>

const apiPrefix = '/api/v1'
const docsPrefix = '/api/docs'
const agentsPrefix = '/api/mcp'
const commandsPrefix = '/api/commands'
const panelPrefix = '/admin'

function everyRouter(context: ApiContext, requests: PagesByAudience): Endpoints[] {
  const spaces = [publicSpace(context), adminSpace(context)]
  return [
    ...apiRouters.map(router => router(context)),
    ...spaces.flatMap(space => spaceRouters.map(router => router(space))),
    ...mediaContexts(context).flatMap(space => mediaRouters.map(router => router(space))),
    deliveryRoutes(context, requests),
    adminTreeRoutes(context),
  ]
}

function surfaces(
  { services, ports, config, version }: AppParts,
  context: ApiContext,
  requests: PagesByAudience,
) {
  const routers = everyRouter(context, requests)
  const described = openApiRoutes(
    context,
    routers.flatMap(router => router.declarations),
    version,
  )
  const declarations = [...routers, described.api].flatMap(router => router.declarations)
  // A browser that has seen HSTS accepts no exception for a test certificate, not even for localhost.
  const secure = config().environment.startsWith('production')
  const api = surface({
    prefix: apiPrefix,
    routers: [...routers, described.api],
    errors: jsonErrors(ports.log),
    headers: headers(secure),
  })
  const page = fixedDocument('text/html; charset=UTF-8', ports.hashing, async () => {
    const { DocsPage } = await import('./routes/docs.js')
    return `<!doctype html>${DocsPage({ document: await described.document() })}`
  })
  const styles = [hashSource(docsStyle, ports.hashing)]
  const scripts = [hashSource(docsScript, ports.hashing)]
  const docs = surface({
    prefix: docsPrefix,
    routers: [docsRoutes(context.authentication, page)],
    errors: htmlErrors(ports.log),
    headers: htmlHeaders(secure, ports.random, nonce =>
      htmlPolicy(nonce, { media: storageOrigins([services.media, services.adminMedia]), styles, scripts }),
    ),
  })
  return { declarations, api, docs }
}

/** A surface that is loaded when somebody comes for it. */
function later(make: () => Promise<Fetcher>): Fetcher {
  const made = onDemand(make)
  return { fetch: async (request, info) => (await made()).fetch(request, info) }
}

function laterSurfaces({ ports, config, version, commands }: AppParts, context: ApiContext) {
  const { random, log, clock, panelFiles } = ports
  const secure = config().environment.startsWith('production')
  return {
    panel: later(async () => {
      const { panelSurface } = await import('./panel/index.js')
      return panelSurface({ ...context, random, log, clock, panelFiles, secure })
    }),
    compat: later(async () => {
      const { compatSurface } = await import('./systems/index.js')
      return compatSurface(context, log, secure)
    }),
    agents: later(async () => {
      const { mcpSurface } = await import('./mcp/index.js')
      return mcpSurface(context, { path: agentsPrefix, log, secure, version })
    }),
    files: later(async () => {
      const { mediaFiles } = await import('./routes/media-files.js')
      return { fetch: mediaFiles(context.services.servedMedia, log) }
    }),
    commands: commands && later(() => commands(context, { log, secure })),
  }
}

function addressesBehind(proxies: readonly string[]) {
  const addressOfClient = clientAddresses(proxies)
  return proxies.length === 0
    ? (_: Request, peer: Peer) => peer.address
    : (request: Request, peer: Peer) => addressOfClient(peer.address, request.headers.get('x-forwarded-for'))
}

type Surface = 'api' | 'panel' | 'site'

/** Answers a request as a span, where requests are traced. */
const tracedBy =
  (tracing: Ports['tracing']) =>
  (request: Request, info: RequestInfo, surface: Surface, answer: () => Answer): Answer =>
    tracing
      ? tracing.request(request, answer, () => ({ route: info.route, surface, requestId: info.requestId }))
      : answer()

const contextOf = ({ services, ports, config }: AppParts): Omit<ApiContext, 'exposition'> => ({
  services,
  authentication: authenticationBy(services, config),
  recordResponses: recordResponses(ports.hashing),
  config,
  hashing: ports.hashing,
})

/**
 * The surfaces that show the working state of content, for everybody by services that read what they may; and those that
 * show what the public sees.
 */
function surfacesByReader(parts: AppParts, context: ApiContext, api: Fetcher) {
  const { panel, agents, ...later } = laterSurfaces(parts, context)
  const shown = byReader(
    { panel, agents, working: api },
    context.authentication,
    part => parts.services.ofPart(part),
    services => {
      const its = { ...parts, services }
      const itsContext = { ...contextOf(its), exposition: context.exposition }
      const { panel, agents } = laterSurfaces(its, itsContext)
      const { api: working } = surfaces(its, itsContext, pagesByAudience(itsContext))
      return { panel, agents, working }
    },
  )
  return { ...later, ...shown }
}

/** The whole service as one handler of Fetch requests. It does no I/O but through the services and ports. */
export function createApp(parts: AppParts): App {
  const { services, ports, ids, config } = parts
  const context = {
    ...contextOf(parts),
    exposition: ports.exposition(() => services.metrics.measure()),
  }
  const requests = pagesByAudience(context)
  const pageInMemory = pageFastPath(context, requests)
  const queryPastRouter = queryFastPath(context)
  const { declarations, api, docs } = surfaces(parts, context, requests)
  const { panel, agents, commands, working, compat, files } = surfacesByReader(parts, context, api)
  const compatInMemory = compatFastPath(context)
  const site = publicRoutes(services, config, ports.log)
  const [addressIn, logged] = [addressesBehind(config().trusted_proxies), requestLog(ports)]

  const bySurface = (
    to: Fetcher,
    request: Request,
    info: RequestInfo,
    isLogged?: (answered: Response) => boolean,
  ): Promise<Response> => logged(request, info, async () => to.fetch(request, info), isLogged)

  const [shared, traced] = [crossOrigin(config), tracedBy(ports.tracing)]

  // Pages, here and to the public, media, and answers to queries and to clients of other systems are not logged one by one
  // (D-122).
  const answerService = (request: Request, info: RequestInfo): Answer => {
    const address = addressOf(request.url)
    if (isUnder(panelPrefix, address)) return bySurface(panel, request, info)
    if (isUnder(compatPrefix, address))
      return (
        publicPreflight(request, info, compatMethods) ??
        compatInMemory(request, info) ??
        bySurface(compat, request, info, isRefusal)
      )
    if (isUnder(mediaFilesPath, address)) return bySurface(files, request, info, isRefusal)
    if (isUnder(agentsPrefix, address)) return shared(request, info, () => bySurface(agents, request, info))
    if (commands && isUnder(commandsPrefix, address)) return bySurface(commands, request, info)
    const byRouter = () => bySurface(isUnder(docsPrefix, address) ? docs : working, request, info)
    const answer = () =>
      pageInMemory(request, info, byRouter) ?? queryPastRouter(request, info, byRouter) ?? byRouter()
    return isUnder(apiPrefix, address) ? shared(request, info, answer) : answer()
  }

  const { requests: counts } = services.metrics
  const pages = counts.of('site', '/*', 'GET')
  /** Answers a request and counts it. The counter of pages is looked up only once, because most pages are in memory. */
  const counted = (request: Request, info: RequestInfo, surface: Surface): Answer => {
    const from = performance.now()
    const isPage = surface === 'site'
    const answer = isPage ? site(request, info) : answerService(request, info)
    const count = ({ status }: Response) => {
      const series =
        isPage && request.method === 'GET'
          ? pages
          : counts.of(surface, isPage ? '/*' : (info.route ?? 'none'), request.method)
      series.add(status, performance.now() - from)
    }
    if (answer instanceof Promise) answer.then(count, () => undefined)
    else count(answer)
    return answer
  }

  return {
    declarations,
    fetch: (request, peer = {}) => {
      const info: RequestInfo = { address: addressIn(request, peer), requestId: ids.ulid(), peer }
      const surface = surfaceOf(request.url)
      return traced(request, info, surface, () => counted(request, info, surface))
    },
  }
}

function surfaceOf(url: string): Surface {
  if (!isServicePath(url, url.indexOf('/', 8))) return 'site'
  return isUnder(panelPrefix, addressOf(url)) ? 'panel' : 'api'
}

const isUnder = (prefix: string, address: string): boolean =>
  address.startsWith(prefix) && /^(?:$|[/?])/.test(address.slice(prefix.length, prefix.length + 1))
