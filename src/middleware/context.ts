import type { Context } from 'hono'
import type { Actor } from '../actor.js'
import { forbidden } from '../errors.js'
import type { Identity } from '../services/access.js'

/** What the runtime says of a request beside the Request itself. */
export interface Peer {
  /** Address of the other end of the socket. */
  address?: string
}

export interface Env {
  Bindings: Peer
  Variables: {
    requestId: string
    identity: Identity | undefined
    /** Set as soon as the caller was asked for; the log line names it. */
    authenticated: boolean
  }
}

export type Ctx = Context<Env>

export const callerOf = (c: Ctx): Identity => {
  const identity = c.get('identity')
  if (!identity) throw forbidden()
  return identity
}

/** The caller as the author of changes; nobody where the endpoint is public. */
export const actorOf = (c: Ctx): Actor => ({
  userId: c.get('identity')?.userId ?? null,
  surface: 'api',
  requestId: c.get('requestId'),
  ipAddress: c.env?.address ?? '',
  userAgent: c.req.header('user-agent') ?? '',
})
