import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { ConfigError } from '../errors.js'
import type { Log } from '../ports.js'
import { type AnyServer, Connections } from './http-connections.js'
import { type TlsSettings, tlsServer } from './tls.js'

const [unreadBodyTimeoutMs, unreadBodyBytes] = [2000, 2 ** 20]
const unreadAnswerTimeoutMs = 30_000
const unreadIntervalMs = 5000

/** A configured address such as `:8080` for a socket. */
export const listenAddress = (text: string): { host?: string; port: number } => {
  const at = text.lastIndexOf(':')
  const host = text.slice(0, Math.max(at, 0)).replace(/^\[|\]$/g, '')
  const port = Number(text.slice(at + 1))
  return host ? { host, port } : { port }
}

/** Reports whether a request has a body. It looks at the raw headers, because this runs for every page. */
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

/**
 * Ends the connection after a response that is sent before the whole body has come: the rest could come for ever, and
 * the next request would wait for it. A little of the body is still read: browsers send all of it before they read, and
 * would see a broken connection instead of the refusal.
 */
function closeBeforeBody(incoming: IncomingMessage, response: ServerResponse): void {
  const { socket } = incoming
  const writeHead = response.writeHead.bind(response)
  response.writeHead = (...given: unknown[]) => {
    if (!incoming.complete) {
      response.shouldKeepAlive = false
      // HTTP calls it when the answer is written.
      socket.destroySoon = () => takeLittle(incoming, socket)
      // The adapter would end the connection by the socket of the request.
      Object.defineProperty(incoming, 'socket', { value: undefined })
    }
    return writeHead(...(given as Parameters<typeof writeHead>))
  }
}

function takeLittle(incoming: IncomingMessage, socket: IncomingMessage['socket']): void {
  const late = setTimeout(() => socket.destroy(), unreadBodyTimeoutMs)
  let taken = 0
  incoming.on('data', ({ length }: Uint8Array) => {
    taken += length
    if (taken > unreadBodyBytes) socket.destroy()
  })
  incoming.once('end', () => socket.destroy())
  socket.once('close', () => clearTimeout(late)).end()
}

const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this account may not listen there',
  EADDRNOTAVAIL: 'this machine does not have the address',
  ENOTFOUND: 'the host does not exist',
}

/** A configured address that cannot be listened on. */
export class ListenError extends ConfigError {
  constructor(
    field: string,
    address: string,
    readonly code: string,
  ) {
    super(
      `${field}: ${address}: ${listenProblems[code] ?? 'the service cannot listen on it'} (${code})`,
      field,
    )
  }
}

class Peer {
  constructor(
    readonly address: string | undefined,
    private readonly outgoing: Pick<ServerResponse, 'req' | 'destroy'>,
    private readonly log: Log,
  ) {}

  /** Breaks off a response whose rest cannot be sent, so that the client does not take it for complete. */
  breakOff(error: unknown): void {
    const { method, url = '' } = this.outgoing.req
    this.log.error({ err: error, method, path: url.split('?', 1)[0] }, 'a response was cut off')
    this.outgoing.destroy()
  }
}

type Handler = (request: Request, peer: Peer) => Response | Promise<Response>

const serverOptions = {
  headersTimeout: 15_000,
  // An upload may take long while its data keeps coming; the code that reads a body has its own timeout.
  requestTimeout: 3_600_000,
  // Longer than the 60 s of proxies and balancers, which would else send on what is being closed.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5000,
  maxHeaderSize: 16_384,
}

type Fetch = Parameters<typeof createAdaptorServer>[0]['fetch']

/** The host of requests that name none: HTTP/1.0 allows that, and the plain checks of balancers use it. */
const hostname = 'localhost'

function serverOf(handle: Handler, { maxConnections, log, tls, arrived }: Options): AnyServer {
  const fetch: Fetch = (request, { incoming, outgoing }) => {
    // An IPv4 peer of a socket that speaks both is called by its IPv4 address.
    const address = incoming.socket.remoteAddress
    const peer = address?.startsWith('::ffff:') ? address.slice(7) : address
    return handle(request, new Peer(peer, outgoing as ServerResponse, log))
  }
  const server: AnyServer = tls
    ? tlsServer(tls, (createServer, options) => {
        const all = { ...serverOptions, ...options }
        const secure = createAdaptorServer({
          fetch,
          hostname,
          createServer,
          serverOptions: all,
        }) as SecureServer
        return catchFailures(secure, log, arrived)
      })
    : catchFailures(createAdaptorServer({ fetch, hostname, serverOptions }) as Server, log, arrived)
  server.maxConnections = maxConnections
  return server
}

/**
 * The adapter does not wait for responses that are ready at once. If one cannot be written, as with a header that HTTP
 * does not allow, the error would end the process.
 */
function catchFailures<S extends AnyServer>(server: S, log: Log, arrived?: () => void): S {
  type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>
  const [adapter, another] = server.listeners('request') as Listener[]
  if (!adapter || another) throw new Error('nobody but the adapter may listen to requests yet')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const answer = () =>
      adapter(request, response).catch((error: unknown) => {
        log.error({ err: error, method: request.method }, 'a response could not be written')
        if (response.headersSent) response.destroy()
        else response.writeHead(500, { Connection: 'close' }).end()
      })
    arrived?.()
    if (!hasBody(request.rawHeaders)) return answer()
    closeBeforeBody(request, response)
    // A short body comes with its headers and is read in the same turn.
    return setImmediate(answer)
  })
  return server
}

export interface Listener {
  readonly port: number
  stop(): Promise<void>
}

interface Options {
  log: Log
  maxConnections: number
  unread?: { afterMs: number; everyMs: number }
  tls?: TlsSettings
  field?: string
  /** Called for each request in the turn in which its socket was read. */
  arrived?: () => void
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
