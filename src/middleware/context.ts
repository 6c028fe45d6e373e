import type { Context } from 'hono'
import type { Actor } from '../actor.js'
import { forbidden } from '../errors.js'
import type { Identity } from '../services/accounts/access.js'

/** What the runtime says of a request beside the Request itself. */
export interface Peer {
  /** Address of the other end of the socket. */
  address?: string | undefined
}

/** What is known of a request while it is being answered. */
export interface RequestInfo extends Peer {
  readonly requestId: string
  /** The caller, as soon as somebody asked who it is. */
  identity?: Identity | undefined
  /** True when the answer has all of its headers already. */
  finished?: boolean
}

export interface Env {
  Bindings: RequestInfo
}

export type Ctx = Context<Env>

export const callerOf = (c: Ctx): Identity => {
  const { identity } = c.env
  if (!identity) throw forbidden()
  return identity
}

/** The caller as the author of changes; nobody where the endpoint is public. */
export const actorOf = (c: Ctx): Actor => ({
  userId: c.env.identity?.userId ?? null,
  surface: 'api',
  requestId: c.env.requestId,
  ipAddress: c.env.address ?? '',
  userAgent: c.req.header('user-agent') ?? '',
})
