import { getCiphers } from 'node:crypto'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Connection as Client, ServerConfig } from 'ssh2'
import ssh2 from 'ssh2'
import type { Actor } from '../actor.js'
import { limits } from '../limits.js'
import { ListenError, listenAddress } from '../node/http-listener.js'
import type { PublicKeys } from '../ports.js'
import { t } from '../texts/terminal.js'
import { Connection, type Peer } from './connection.js'
import { Gate, type GateLimits, type Ticket } from './gate.js'
import type { HostKey } from './host-key.js'
import { takeRequests, turnAway } from './requests.js'
import { Sessions } from './sessions.js'
import { type Proved, signIn } from './sign-in.js'
import type { Site } from './terminal.js'

const graceMs = 30_000
const gateLimits: GateLimits = {
  atOnce: limits.ssh.connections,
  perAddress: limits.ssh.connectionsOfAddress,
  perMinute: limits.ssh.connectionsInMinute,
}

/**
 * Algorithms that OpenSSH versions of the last ten years support. Without finite-field key exchange, by which a client
 * makes the server compute with a few bytes, and without compression, by which a few bytes become many.
 */
const algorithms = {
  kex: ['curve25519-sha256', 'curve25519-sha256@libssh.org', 'ecdh-sha2-nistp256', 'ecdh-sha2-nistp384'],
  cipher: [
    'aes128-gcm@openssh.com',
    'aes256-gcm@openssh.com',
    // Bun has no cipher for it.
    ...(getCiphers().includes('chacha20') ? (['chacha20-poly1305@openssh.com'] as const) : []),
    'aes128-ctr',
    'aes256-ctr',
  ],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  serverHostKey: [
    'ssh-ed25519',
    'ecdsa-sha2-nistp256',
    'ecdsa-sha2-nistp384',
    'rsa-sha2-512',
    'rsa-sha2-256',
  ],
  compress: ['none'],
} satisfies ServerConfig['algorithms']

export interface SshListener {
  readonly port: number
  stop(): Promise<void>
}

export interface SshOptions {
  readonly site: Site
  readonly publicKeys: PublicKeys
  readonly hostKey: HostKey
  readonly limits: { readonly inAll: () => number; readonly idleMs: () => number }
  readonly gate?: GateLimits
  readonly graceMs?: number
}

interface Coming {
  readonly socket: Socket
  readonly ticket: Ticket
  readonly grace: NodeJS.Timeout
}

const otherEnd = (address: string | undefined, port: number | undefined) => `${address} ${port}`

/** Returns the IPv4 address of a peer on a dual-stack socket. */
const plainAddress = (address = ''): string => (address.startsWith('::ffff:') ? address.slice(7) : address)

/** Returns a client's software name: one line of printable ASCII, which cannot steer the terminal of a log's reader. */
const softwareOf = ({ identRaw = '' }: { identRaw?: string }) =>
  identRaw.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 255)

class SshServer {
  readonly #coming = new Map<string, Coming>()
  readonly #gate: Gate
  readonly #sessions: Sessions
  readonly #server: ssh2.Server

  constructor(private readonly options: SshOptions) {
    const { site, limits, hostKey, gate } = options
    this.#gate = new Gate(gate ?? gateLimits)
    this.#sessions = new Sessions(site, limits)
    const settings: ServerConfig = { hostKeys: [hostKey.text], ident: 'Slugline', algorithms }
    this.#server = new ssh2.Server(settings, (client, info) => this.#greeted(client, info))
  }

  /** Accepts a socket before the library reads a byte of it. */
  accept(socket: Socket): void {
    const ticket = this.#gate.admit(plainAddress(socket.remoteAddress))
    if (!ticket) {
      socket.on('error', () => undefined)
      socket.end(`${t('Too many connections: try again in a minute.')}\r\n`)
      socket.destroySoon()
      return
    }
    socket.setNoDelay(true)
    const end = otherEnd(socket.remoteAddress, socket.remotePort)
    const grace = setTimeout(() => socket.destroy(), this.options.graceMs ?? graceMs)
    this.#coming.set(end, { socket, ticket, grace })
    socket.once('close', () => {
      clearTimeout(grace)
      ticket.leave()
      this.#coming.delete(end)
    })
    this.#server.injectSocket(socket)
  }

  async stop(): Promise<void> {
    for (const { socket } of this.#coming.values()) if (!socket.destroyed) socket.destroySoon()
    await this.#sessions.stop()
    for (const { socket } of this.#coming.values()) socket.destroy()
  }

  #greeted(client: Client, info: ssh2.ClientInfo): void {
    const end = otherEnd(info.ip, info.port)
    const coming = this.#coming.get(end)
    // A protocol error closes this connection only.
    client.on('error', () => coming?.socket.destroySoon())
    if (!coming) return void client.end()
    const { site, publicKeys } = this.options
    const peer: Peer = { address: plainAddress(info.ip), software: softwareOf(info.header) }
    let isGuest = false
    const needs = {
      ...{ site, publicKeys, address: peer.address },
      visitor: () => visitor(peer, site),
      more: () => void coming.grace.refresh(),
    }
    signIn(client, needs, proved => {
      isGuest = proved === null
      return this.#enter(client, coming.socket, peer, proved)
    })
    client.once('ready', () => {
      clearTimeout(coming.grace)
      // Guests have proved nothing: the limits of new connections stay those of strangers.
      if (isGuest) coming.ticket.leave()
      else coming.ticket.signedIn()
      this.#coming.delete(end)
    })
  }

  async #enter(client: Client, socket: Socket, peer: Peer, proved: Proved): Promise<void> {
    const { site } = this.options
    const { sshSignIn } = site.services
    if (proved && !this.#sessions.hasRoom(proved.userId)) return turnAway(client, socket)
    const session = proved
      ? await sshSignIn.open(visitor(peer, site), proved.userId, proved.keyId)
      : await sshSignIn.openForGuest()
    if (!proved && !this.#sessions.hasRoomForGuest(peer)) return turnAway(client, socket)
    const connection = new Connection(client, socket, session, peer, site)
    this.#sessions.add(connection)
    takeRequests(client, connection)
  }
}

/** Returns the actor of a sign-in, before the user is known. */
const visitor = ({ address, software }: Peer, site: Site): Actor => ({
  userId: null,
  roleId: null,
  credential: null,
  surface: 'ssh',
  requestId: site.newRequestId(),
  ipAddress: address,
  userAgent: software,
})

/**
 * Listens for SSH on an address such as `:2233`.
 * @throws ListenError if it cannot listen there
 */
export async function listenForSsh(address: string, options: SshOptions): Promise<SshListener> {
  const ssh = new SshServer(options)
  const server = createServer(socket => ssh.accept(socket))
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code = '' }: NodeJS.ErrnoException) =>
      reject(new ListenError('ssh_port', address, code)),
    )
    server.listen(listenAddress(address), resolve)
  })
  server.on('error', error =>
    options.site.log.warn({ err: error }, 'an SSH connection could not be accepted'),
  )
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = new Promise(resolve => server.close(resolve))
      await ssh.stop()
      await closed
    },
  }
}
