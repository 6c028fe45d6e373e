import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import type { Config } from '../config.js'
import type { Env } from './context.js'

/**
 * Lets browsers of the configured origins call the auth endpoints, with the cookie when the configuration says
 * so. Without such origins there is no such header, and OPTIONS is no method.
 */
export const crossOrigin = (config: () => Config) =>
  createMiddleware<Env>((c, next) => {
    const { cors_origins, cors_methods, cors_headers, cors_credentials } = config()
    if (cors_origins.length === 0) return next()
    const any = cors_origins.includes('*')
    return cors({
      origin: origin => (any ? '*' : cors_origins.includes(origin) ? origin : null),
      allowMethods: cors_methods,
      allowHeaders: cors_headers,
      // The configuration refuses "*" together with credentials.
      credentials: cors_credentials && !any,
      maxAge: 600,
    })(c, next)
  })
