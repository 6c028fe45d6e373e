import type { Hono } from 'hono'
import type { Env, RequestInfo } from '../middleware/context.js'
import { headers } from '../middleware/headers.js'
import type { Log } from '../ports.js'
import type { ApiContext } from '../routes/context.js'
import type { Endpoints } from '../routes/endpoints.js'
import { surface } from '../routes/surface.js'
import { contentfulFailure, contentfulRoutes } from './contentful/http/index.js'
import { compatPrefix, type foreignErrors as ErrorsOf, foreignErrors, withBearer } from './root.js'
import { sanityFailure, sanityRoutes } from './sanity/http/index.js'
import { strapiFailure, strapiRoutes } from './strapi/http/index.js'
import { wordpressFailure, wordpressRoutes } from './wordpress/http/index.js'

interface System {
  readonly name: string
  routes(context: ApiContext): Endpoints
  readonly failure: Parameters<typeof ErrorsOf>[1]
}

const systems: readonly System[] = [
  { name: 'wordpress', routes: wordpressRoutes, failure: wordpressFailure },
  { name: 'contentful', routes: contentfulRoutes, failure: contentfulFailure },
  { name: 'sanity', routes: sanityRoutes, failure: sanityFailure },
  { name: 'strapi', routes: strapiRoutes, failure: strapiFailure },
]

/** Everything under `/compat`, each system with errors of its own. */
export function compatSurface(context: ApiContext, log: Log, secure: boolean) {
  const roots = new Map<string, Hono<Env>>(
    systems.map(({ name, routes, failure }) => [
      name,
      surface({
        prefix: `${compatPrefix}/${name}`,
        routers: [routes(context)],
        errors: foreignErrors(log, failure),
        headers: headers(secure),
      }),
    ]),
  )
  return {
    fetch: (request: Request, info: RequestInfo): Response | Promise<Response> => {
      const name = /^[^/]*\/\/[^/]+\/compat\/([a-z]+)(?=[/?]|$)/.exec(request.url)?.[1] ?? ''
      return (
        roots.get(name)?.fetch(withBearer(request), info) ??
        Response.json({ error: 'not found', code: 'not_found' }, { status: 404 })
      )
    },
  }
}
