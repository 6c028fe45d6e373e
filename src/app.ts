import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { matchedRoutes } from 'hono/route'
import { secureHeaders } from 'hono/secure-headers'
import { z } from 'zod'
import type { Config } from './config.js'
import { forbidden } from './errors.js'
import type { Ids } from './ids.js'
import type { Authentication } from './middleware/authenticate.js'
import type { Env, Peer } from './middleware/context.js'
import { errors } from './middleware/errors.js'
import { requestLog } from './middleware/request-log.js'
import { authRoutes } from './routes/api/auth.js'
import { contentRoutes } from './routes/api/content.js'
import { deliveryRoutes } from './routes/api/delivery.js'
import { crudRoutes, records } from './routes/crud-routes.js'
import { DocsPage } from './routes/docs.js'
import { type Declaration, type Endpoints, endpoints, isDeclared } from './routes/endpoints.js'
import { openApiDocument } from './routes/openapi.js'
import { publicRoutes } from './routes/public.js'
import { ContentFieldCreate, ContentFieldUpdate } from './services/content-fields.js'
import { DatatypeCreate, DatatypeUpdate } from './services/datatypes.js'
import { FieldTypeCreate, FieldTypeUpdate } from './services/field-types.js'
import { FieldCreate, FieldUpdate } from './services/fields.js'
import type { Services } from './services/index.js'
import type { Ports } from './services/ports.js'
import { RouteCreate, RouteUpdate } from './services/routes.js'

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

const Health = z.object({
  status: z.enum(['ok', 'unavailable']),
  environment: z.string(),
  checks: z.object({ database: z.boolean(), storage: z.boolean().nullable() }),
})

/** The whole service as one handler of Fetch requests. It does no I/O but through the services and ports. */
export function createApp({ services, ports, ids, config, version }: AppParts): App {
  const { log, clock, hashing } = ports
  const authentication: Authentication = {
    auth: services.auth,
    access: services.access,
    cookieName: () => config().cookie_name,
  }
  const kit = records(hashing)
  const resources = (tag: string, build: (api: Endpoints) => void): Endpoints => {
    const api = endpoints(tag, authentication)
    build(api)
    return api
  }

  const parts: Endpoints[] = [
    authRoutes(authentication, config),
    resources('routes', api =>
      crudRoutes(
        api,
        '/routes',
        'routes',
        services.routes,
        { create: RouteCreate, update: RouteUpdate, filters: ['slug', 'author_id'] },
        kit,
      ),
    ),
    resources('datatypes', api =>
      crudRoutes(
        api,
        '/datatypes',
        'datatypes',
        services.datatypes,
        { create: DatatypeCreate, update: DatatypeUpdate, filters: ['name', 'type', 'parent_id'] },
        kit,
      ),
    ),
    resources('fields', api => {
      crudRoutes(
        api,
        '/fields',
        'fields',
        services.fields,
        { create: FieldCreate, update: FieldUpdate, filters: ['parent_id', 'name', 'field_type'] },
        kit,
      )
      crudRoutes(
        api,
        '/field-types',
        'field_types',
        services.fieldTypes,
        { create: FieldTypeCreate, update: FieldTypeUpdate },
        kit,
      )
    }),
    contentRoutes(services.content, services.pages, kit, authentication),
    resources('content fields', api =>
      crudRoutes(
        api,
        '/content-fields',
        'content',
        services.contentFields,
        {
          create: ContentFieldCreate,
          update: ContentFieldUpdate,
          filters: ['content_data_id', 'field_id', 'locale', 'route_id'],
        },
        kit,
      ),
    ),
    deliveryRoutes(services.pages, config, authentication),
    resources('operation', api => {
      api.get(
        '/health',
        'public',
        { summary: 'Whether the service is ready', answers: { shape: Health } },
        async c => {
          const { environment, checks } = await services.health()
          const status = checks.database ? 'ok' : 'unavailable'
          return c.json({ status, environment, checks }, checks.database ? 200 : 503)
        },
      )
      api.get('/openapi.json', 'public', { summary: 'This document' }, c => c.json(document()))
    }),
  ]
  const declarations = parts.flatMap(part => part.declarations)
  let known: Record<string, unknown> | undefined
  const document = () => {
    known ??= openApiDocument(declarations, version)
    return known
  }

  const api = new Hono<Env>({ strict: false })
  api.onError(errors(log))
  api.notFound(c => c.json({ error: 'not found' }, 404))
  api.use(requestLog(log, clock, ids))
  api.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        styleSrc: ["'unsafe-inline'"],
        frameAncestors: ["'none'"],
      },
      strictTransportSecurity: !config().environment.startsWith('local'),
    }),
  )
  api.use(
    methodNotAllowed({
      app: api,
      onMethodNotAllowed: (c, methods) =>
        c.json({ error: 'method not allowed' }, 405, { Allow: methods.join(', ') }),
    }),
  )
  // A handler that was mounted without a declaration has no access word, so nobody may call it.
  api.use(async (c, next) => {
    for (const { method, handler } of matchedRoutes(c))
      if (method !== 'ALL' && !isDeclared(handler)) throw forbidden()
    await next()
  })
  for (const part of parts) api.route(prefix, part.app)
  resources('docs', docs => {
    docs.get('/api/docs', 'public', { summary: 'The API for people' }, c =>
      c.html(`<!doctype html>${DocsPage({ declarations, document: document() })}`),
    )
    api.route('/', docs.app)
  })

  const site = publicRoutes(services.pages, config, ids, log)

  return {
    declarations,
    fetch: (request, peer = {}) => {
      const path = request.url.indexOf('/', 8)
      const ours = request.url.startsWith('/api/', path) || request.url.startsWith('/admin', path)
      return ours ? api.fetch(request, peer) : site.fetch(request, peer)
    },
  }
}
