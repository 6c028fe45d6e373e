import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as SecureServer } from 'node:https'
import { type AddressInfo, connect, Server as SocketServer } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { workerVariable } from './worker.js'

const stopTimeoutMs = 10_000
const acceptTimeoutMs = 2000
const acceptQuietMs = 200
const idleTimeoutMs = 500
const sweepIntervalMs = 50

export type AnyServer = Server | SecureServer
type Socket = IncomingMessage['socket']

const otherEnd = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/** The open connections of a server, so that it can stop without breaking off a request. */
export class Connections {
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
    // The close of HTTP would at once end connections on which a request is sent but not read yet. Bun has no other.
    const server: object = this.server
    if (server instanceof SocketServer) SocketServer.prototype.close.call(server)
    else this.server.close()
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

  /** The kernel resets connections that are not accepted when listening ends, so they are accepted first. */
  async #acceptWaiting(): Promise<void> {
    await this.#reachItself()
    const from = performance.now()
    for (let before = -1; before !== this.#accepted && performance.now() - from < acceptTimeoutMs; ) {
      before = this.#accepted
      // On a busy machine the kernel itself is late to hand over what a client has sent.
      await sleep(acceptQuietMs)
      // The sleep may end in a turn that has already looked at sockets.
      await turn()
    }
  }

  /**
   * Ends when the server has accepted a connection of its own, and so all that were there before: the kernel hands them
   * over in their order, however long that takes on a busy machine.
   */
  async #reachItself(): Promise<void> {
    const listening = this.server.address() as AddressInfo | null
    // A second stop finds nothing that listens.
    if (!listening) return
    const own = connect(listening.port, listening.address)
    const accepted = new Set<number | undefined>()
    await new Promise<void>(resolve => {
      const look = () => {
        if (accepted.has(own.localPort)) resolve()
      }
      const note = (socket?: { remotePort?: number | undefined }) => {
        accepted.add(socket?.remotePort)
        look()
      }
      this.server.on('connection', note).on('drop', note)
      own.once('connect', look).once('error', () => resolve())
      // Another worker may accept it, which nothing tells here; what came before is accepted then too.
      setTimeout(resolve, workerVariable in process.env ? acceptTimeoutMs : stopTimeoutMs).unref()
    })
    own.destroy()
  }

  #endIdle(): void {
    for (const socket of this.#handshakes.values()) socket.destroy()
    for (const [socket, response] of this.#responses)
      if (!response || response.writableFinished || response.destroyed) socket.destroy()
  }
}
