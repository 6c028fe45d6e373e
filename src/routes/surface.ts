import { type ErrorHandler, Hono, type MiddlewareHandler } from 'hono'
import { methodNotAllowed as refuseOtherMethods } from 'hono/method-not-allowed'
import { methodNotAllowed, notFound } from '../errors.js'
import type { Env } from '../middleware/context.js'
import { refusingBadAddresses } from '../middleware/request-address.js'
import { type Endpoints, isDeclared } from './endpoints.js'

export interface Surface {
  prefix: `/${string}`
  routers: readonly Endpoints[]
  errors: ErrorHandler<Env>
  headers: MiddlewareHandler<Env>
}

/**
 * Endpoints under one prefix whose answers, errors among them, look alike.
 * @throws when a router holds a handler that came without a declaration: it would have no access word
 */
export function surface({ prefix, routers, errors, headers }: Surface): Hono<Env> {
  for (const { app } of routers) {
    const undeclared = app.routes.find(({ handler }) => !isDeclared(handler))
    if (undeclared) throw new Error(`${undeclared.method} ${prefix}${undeclared.path} is not declared`)
  }
  const app = new Hono<Env>({ strict: false })
  app.onError(errors)
  app.notFound(c => errors(notFound(), c))
  app.use(headers)
  app.use(refusingBadAddresses)
  app.use(
    refuseOtherMethods({ app, onMethodNotAllowed: (c, methods) => errors(methodNotAllowed(methods), c) }),
  )
  for (const router of routers) app.route(prefix, router.app)
  return app
}
