import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as SecureServer } from 'node:https'
import { type AddressInfo, Server as SocketServer } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { createAdaptorServer } from '@hono/node-server'
import { ConfigError } from '../errors.js'
import type { Log } from '../ports.js'
import { type TlsSettings, tlsServer } from './tls.js'

/** How long a stop waits for requests that run. */
const stopTimeoutMs = 10_000
/** How long a stop takes connections that were begun before it. */
const acceptTimeoutMs = 2000
/** It takes no more of them when for so long none has come. */
const acceptQuietMs = 200
/** How long a stop waits for a request on a connection that has none. */
const idleTimeoutMs = 500
/** How often a stop looks for connections whose last request is answered. */
const sweepIntervalMs = 50
/** How long a body may come that nobody reads. */
const unreadBodyTimeoutMs = 30_000
/** How long an answer may wait for a reader who takes nothing of it. */
const unreadAnswerTimeoutMs = 30_000
/** How often answers that wait for their readers are looked for. */
const unreadIntervalMs = 5000

/** A configured address such as `:8080` for a socket. */
export const listenAddress = (text: string): { host?: string; port: number } => {
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
  const { socket } = incoming
  setTimeout(() => {
    if (!incoming.complete) socket.destroy()
  }, unreadBodyTimeoutMs).unref()
}

/**
 * Lets the rest of a body come after its answer: a client that sends all before it reads, as browsers do, sees a broken
 * connection otherwise instead of the refusal. The adapter would end the connection after half a second, by the socket
 * of the request.
 */
function takeRest(incoming: IncomingMessage): void {
  limitUnread(incoming)
  Object.defineProperty(incoming, 'socket', { value: undefined })
  incoming.resume()
}

/** Why a socket cannot listen, for the operator. */
const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this account may not listen there',
  EADDRNOTAVAIL: 'this machine does not have the address',
  ENOTFOUND: 'there is no such host',
}

/** A configured address that cannot be listened on. */
export class ListenError extends ConfigError {
  constructor(
    field: string,
    address: string,
    readonly code: string,
  ) {
    super(`${field}: ${address}: ${listenProblems[code] ?? 'it cannot be listened on'} (${code})`, field)
  }
}

/** What a handler knows of a request beside the Request itself. */
class Peer {
  constructor(
    readonly address: string | undefined,
    private readonly outgoing: Pick<ServerResponse, 'req' | 'destroy'>,
    private readonly log: Log,
  ) {}

  /** Ends an answer whose rest cannot be sent, so that nobody takes for whole what was. */
  breakOff(error: unknown): void {
    const { method, url = '' } = this.outgoing.req
    this.log.error({ err: error, method, path: url.split('?', 1)[0] }, 'an answer was broken off')
    this.outgoing.destroy()
  }
}

type Handler = (request: Request, peer: Peer) => Response | Promise<Response>

const serverOptions = {
  headersTimeout: 15_000,
  // An upload may take long as long as it comes; what reads a body looks after its time itself.
  requestTimeout: 3_600_000,
  // Longer than the 60 s of proxies and balancers, which would else send on what is being closed.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5000,
  maxHeaderSize: 16_384,
}

type AnyServer = Server | SecureServer
type Fetch = Parameters<typeof createAdaptorServer>[0]['fetch']

function serverOf(handle: Handler, { maxConnections, log, tls }: Options): AnyServer {
  const fetch: Fetch = (request, { incoming, outgoing }) => {
    if (isRead(request.method) && hasBody(incoming.rawHeaders)) limitUnread(incoming)
    // An IPv4 peer of a socket that speaks both is called by its IPv4 address.
    const address = incoming.socket.remoteAddress
    const peer = address?.startsWith('::ffff:') ? address.slice(7) : address
    return handle(request, new Peer(peer, outgoing as ServerResponse, log))
  }
  const server: AnyServer = tls
    ? tlsServer(tls, (createServer, options) => {
        const all = { ...serverOptions, ...options }
        const secure = createAdaptorServer({ fetch, createServer, serverOptions: all }) as SecureServer
        return catchFailures(secure, log)
      })
    : catchFailures(createAdaptorServer({ fetch, serverOptions }) as Server, log)
  server.maxConnections = maxConnections
  return server
}

/**
 * The adapter waits for no answer that is there at once. If one cannot be written, as with a header that HTTP does not
 * allow, nobody would catch that and the process would end.
 */
function catchFailures<S extends AnyServer>(server: S, log: Log): S {
  type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>
  const [adapter, another] = server.listeners('request') as Listener[]
  if (!adapter || another) throw new Error('nobody but the adapter may listen to requests yet')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!isRead(request.method ?? ''))
      response.once('finish', () => {
        if (!request.complete) takeRest(request)
      })
    adapter(request, response).catch((error: unknown) => {
      log.error({ err: error, method: request.method }, 'an answer could not be written')
      if (response.headersSent) response.destroy()
      else response.writeHead(500, { Connection: 'close' }).end()
    })
  })
  return server
}

type Socket = IncomingMessage['socket']

const otherEnd = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/** What a server has open, so that it can stop without breaking off a request. */
class Connections {
  /** The newest response of each connection; undefined before its first request. */
  readonly #responses = new Map<Socket, ServerResponse | undefined>()
  /** Those of TLS whose handshake is not done, by their other end; requests come on a socket that wraps them. */
  readonly #handshakes = new Map<string, Socket>()
  #accepted = 0
  #stopping = false

  constructor(private readonly server: AnyServer) {
    const secure = server instanceof SecureServer
    server.prependListener('connection', (socket: Socket) => {
      this.#accepted++
      if (secure) this.#beginHandshake(socket)
      else this.#open(socket)
    })
    server.prependListener('secureConnection', (socket: Socket) => {
      this.#handshakes.delete(otherEnd(socket))
      this.#open(socket)
    })
    server.prependListener('request', (incoming, response) => {
      if (this.#stopping) response.shouldKeepAlive = false
      this.#responses.set(incoming.socket, response)
    })
  }

  #open(socket: Socket): void {
    this.#responses.set(socket, undefined)
    socket.once('close', () => this.#responses.delete(socket))
  }

  #beginHandshake(socket: Socket): void {
    const end = otherEnd(socket)
    this.#handshakes.set(end, socket)
    socket.once('close', () => {
      if (this.#handshakes.get(end) === socket) this.#handshakes.delete(end)
    })
  }

  /**
   * Ends connections whose reader takes nothing for so long. The timeout of a socket begins anew when the kernel has
   * taken some of what waits, so a slow reader stays; it is set only while something waits, because a request may take
   * longer until it is answered.
   */
  endUnread(afterMs: number, everyMs: number): void {
    const look = setInterval(() => {
      for (const socket of this.#responses.keys()) {
        const waits = socket.writableLength > 0
        if (waits && !socket.timeout) socket.setTimeout(afterMs)
        else if (!waits && socket.timeout === afterMs) socket.setTimeout(0)
      }
    }, everyMs).unref()
    this.server.once('close', () => clearInterval(look))
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
      // On a busy machine the kernel itself is late to hand over what a client has sent.
      await sleep(acceptQuietMs)
      // That may be the end of a turn that has looked at sockets before.
      await turn()
    }
  }

  #endIdle(): void {
    for (const socket of this.#handshakes.values()) socket.destroy()
    for (const [socket, response] of this.#responses)
      if (!response || response.writableFinished || response.destroyed) socket.destroy()
  }
}

export interface Listener {
  readonly port: number
  /** Stops accepting, and lets requests that were sent before finish. */
  stop(): Promise<void>
}

interface Options {
  log: Log
  /** More connections are refused. */
  maxConnections: number
  /** How long a reader may take nothing of an answer, and how often that is looked for, in milliseconds. */
  unread?: { afterMs: number; everyMs: number }
  /** Without it HTTP is not encrypted. */
  tls?: TlsSettings
  /** The field of the configuration that the address comes from. */
  field?: string
}

/**
 * Answers HTTP requests on an address such as `:8080`.
 * @throws ListenError when it cannot listen there
 */
export async function listen(address: string, handle: Handler, options: Options): Promise<Listener> {
  const { unread, field = 'port' } = options
  const server = serverOf(handle, options)
  const connections = new Connections(server)
  connections.endUnread(unread?.afterMs ?? unreadAnswerTimeoutMs, unread?.everyMs ?? unreadIntervalMs)
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code = '' }: NodeJS.ErrnoException) =>
      reject(new ListenError(field, address, code)),
    )
    server.listen(listenAddress(address), resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => connections.stop(),
  }
}
