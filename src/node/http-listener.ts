import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'

/** How long a stop waits for requests that run. */
const stopTimeoutMs = 10_000
/** How long a body may come that nobody reads. */
const unreadBodyTimeoutMs = 30_000
const maxConnections = 10_000

const listenAddress = (text: string): { host?: string; port: number } => {
  const at = text.lastIndexOf(':')
  const host = text.slice(0, Math.max(at, 0)).replace(/^\[|\]$/g, '')
  const port = Number(text.slice(at + 1))
  return host ? { host, port } : { port }
}

const isRead = (method: string) => method === 'GET' || method === 'HEAD'

/** Whether a body is announced; headers are looked at as they came, for this is done for every page. */
function hasBody(rawHeaders: readonly string[]): boolean {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (
      (name.length === 14 && name.toLowerCase() === 'content-length') ||
      (name.length === 17 && name.toLowerCase() === 'transfer-encoding')
    )
      return true
  }
  return false
}

/** Nobody reads such a body, so that it could hold its socket for as long as it comes. */
function limitUnread(incoming: { readonly complete: boolean; readonly socket: { destroy(): void } }): void {
  setTimeout(() => {
    if (!incoming.complete) incoming.socket.destroy()
  }, unreadBodyTimeoutMs).unref()
}

type Handler = (request: Request, peer: { address: string | undefined }) => Response | Promise<Response>

function serverOf(handle: Handler): Server {
  const server = createAdaptorServer({
    fetch: (request, { incoming }) => {
      if (isRead(request.method) && hasBody(incoming.rawHeaders)) limitUnread(incoming)
      // An IPv4 peer of a socket that speaks both is called by its IPv4 address.
      const address = incoming.socket.remoteAddress
      return handle(request, { address: address?.startsWith('::ffff:') ? address.slice(7) : address })
    },
    serverOptions: {
      headersTimeout: 15_000,
      // An upload may take long as long as it comes; what reads a body looks after its time itself.
      requestTimeout: 3_600_000,
      keepAliveTimeout: 10_000,
      connectionsCheckingInterval: 5000,
      maxHeaderSize: 16_384,
    },
  }) as Server
  server.maxConnections = maxConnections
  return server
}

export interface Listener {
  readonly port: number
  /** Stops accepting, and lets running requests finish. */
  stop(): Promise<void>
}

/**
 * Answers HTTP requests on an address such as `:8080`.
 * @throws when it cannot listen there
 */
export async function listen(address: string, handle: Handler): Promise<Listener> {
  const server = serverOf(handle)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(listenAddress(address), resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeIdleConnections()
      const late = setTimeout(() => server.closeAllConnections(), stopTimeoutMs)
      await closed
      clearTimeout(late)
    },
  }
}
