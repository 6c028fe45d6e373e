import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type AddressInfo, Server as SocketServer } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { createAdaptorServer } from '@hono/node-server'

/** How long a stop waits for requests that run. */
const stopTimeoutMs = 10_000
/** How long a stop takes connections that were begun before it. */
const acceptTimeoutMs = 1000
/** How long a stop waits for a request on a connection that has none. */
const idleTimeoutMs = 200
/** How often a stop looks for connections whose last request is answered. */
const sweepIntervalMs = 50
/** How long a body may come that nobody reads. */
const unreadBodyTimeoutMs = 30_000

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

function serverOf(handle: Handler, maxConnections: number): Server {
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

type Socket = IncomingMessage['socket']

/** What a server has open, so that it can stop without breaking off a request. */
class Connections {
  /** The newest response of each connection; undefined before its first request. */
  readonly #responses = new Map<Socket, ServerResponse | undefined>()
  #accepted = 0
  #stopping = false

  constructor(private readonly server: Server) {
    server.prependListener('connection', (socket: Socket) => {
      this.#accepted++
      this.#responses.set(socket, undefined)
      socket.once('close', () => this.#responses.delete(socket))
    })
    server.prependListener('request', (incoming, response) => {
      if (this.#stopping) response.shouldKeepAlive = false
      this.#responses.set(incoming.socket, response)
    })
  }

  /** Answers every request that was sent before, says with each answer that the connection ends, and ends it. */
  async stop(): Promise<void> {
    this.#stopping = true
    for (const response of this.#responses.values())
      if (response && !response.headersSent) response.shouldKeepAlive = false
    await this.#acceptWaiting()
    const closed = new Promise<void>(resolve => this.server.once('close', resolve))
    // The close of HTTP would at once end connections on which a request is sent but not read yet.
    SocketServer.prototype.close.call(this.server)
    const late = setTimeout(() => this.server.closeAllConnections(), stopTimeoutMs)
    let sweep: NodeJS.Timeout | undefined
    const grace = setTimeout(() => {
      // From the next turn on, for a loop that was held for so long has still to read what came meanwhile.
      sweep = setInterval(() => this.#endIdle(), sweepIntervalMs)
    }, idleTimeoutMs)
    await closed
    for (const timer of [late, grace, sweep]) clearTimeout(timer)
    // Ends the interval by which HTTP looks for connections that are too slow.
    this.server.close()
  }

  /** The kernel resets what it has not handed over when listening ends, so that is taken first. */
  async #acceptWaiting(): Promise<void> {
    const from = performance.now()
    for (let before = -1; before !== this.#accepted && performance.now() - from < acceptTimeoutMs; ) {
      before = this.#accepted
      // The first may be the end of a turn that has looked at sockets before the stop.
      await turn()
      await turn()
    }
  }

  #endIdle(): void {
    for (const [socket, response] of this.#responses)
      if (!response || response.writableFinished || response.destroyed) socket.destroy()
  }
}

export interface Listener {
  readonly port: number
  /** Stops accepting, and lets requests that were sent before finish. */
  stop(): Promise<void>
}

/**
 * Answers HTTP requests on an address such as `:8080`. More connections than the limit are refused.
 * @throws when it cannot listen there
 */
export async function listen(address: string, handle: Handler, maxConnections: number): Promise<Listener> {
  const server = serverOf(handle, maxConnections)
  const connections = new Connections(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(listenAddress(address), resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => connections.stop(),
  }
}
