import type { Context } from 'hono'
import type { Actor, Identity, KeyClaim } from '../actor.js'
import { storedId } from '../ids.js'

/** Facts about a request that the runtime gives beside the Request itself. */
export interface Peer {
  address?: string | undefined
  /** Ends an answer whose rest cannot be sent, and logs why. Without it the failure of a stream is the reader's. */
  breakOff?(error: unknown): void
}

/** State of a request while it is being answered. */
export interface RequestInfo {
  readonly address: string | undefined
  readonly requestId: string
  readonly peer: Peer
  identity?: Identity | undefined
  /** Whether the request was counted for its key. */
  isCounted?: boolean
  claim?: KeyClaim
  nonce?: string
  isFramed?: boolean
  route?: string
  /** The error of an answer that was made without the router; its endpoint throws it. */
  failure?: unknown
  finished?: boolean
}

export interface Env {
  Bindings: RequestInfo
}

export type Ctx = Context<Env>

/** The id that the path names. */
export const idParam = (c: Ctx, name: string): string => storedId(c.req.param(name) ?? '')

/** The caller as services take it; anonymous until an access word other than `public` has identified it. */
export const actorOf = (c: Ctx): Actor => ({
  userId: c.env.identity?.userId ?? null,
  roleId: c.env.identity?.roleId ?? null,
  credential: c.env.identity?.credential ?? null,
  surface: 'api',
  requestId: c.env.requestId,
  ipAddress: c.env.address ?? '',
  userAgent: c.req.header('user-agent') ?? '',
  claim: c.env.claim,
})
