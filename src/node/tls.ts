import type { Server, ServerOptions } from 'node:https'
import { createServer as createHttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { createSecureContext, createServer as createTlsServer, type SecureContext } from 'node:tls'
import type { Certificate } from '../ports.js'

const handshakeTimeoutMs = 15_000
const hsts = 'max-age=31536000; includeSubDomains'

/** The certificate that new connections get. */
export class ServedCertificate {
  #certificate: Certificate | undefined
  #server: Server | undefined

  use(certificate: Certificate): void {
    this.#certificate = certificate
    this.#server?.setSecureContext(this.#context())
  }

  /** @throws before `use` was called */
  serveWith(create: (options: ServerOptions) => Server): Server {
    this.#server = create(this.#context())
    return this.#server
  }

  #context() {
    if (!this.#certificate) throw new Error('there is no certificate yet')
    const { pem } = this.#certificate
    return { key: pem, cert: pem }
  }
}

export interface TlsSettings {
  certificate: ServedCertificate
  strict: boolean
  keyAuthorizationOf?: ((host: string) => Promise<string | undefined>) | undefined
}

/** A server of HTTPS, made by what makes servers of HTTP. */
export function tlsServer(
  { certificate, strict, keyAuthorizationOf }: TlsSettings,
  create: (createServer: typeof createHttpsServer, options: ServerOptions) => Server,
): Server {
  const server = certificate.serveWith(context =>
    create(createHttpsServer, { ...context, handshakeTimeout: handshakeTimeoutMs }),
  )
  if (strict)
    server.prependListener('request', (_incoming, response) =>
      response.setHeader('Strict-Transport-Security', hsts),
    )
  if (keyAuthorizationOf) divertChallenges(server, keyAuthorizationOf)
  return server
}

const protocol = 'acme-tls/1'
/** The protocol as ALPN writes it, behind its length. */
const offered = Buffer.from(`\x0a${protocol}`)
const handshakeRecord = 22
const maxHelloBytes = 16_384 + 5

/** Reports whether a connection begins with a hello that offers the protocol; undefined while it is incomplete. */
function offersChallenge(begin: Buffer): boolean | undefined {
  if (begin[0] !== handshakeRecord) return false
  if (begin.length < 5) return undefined
  const length = 5 + begin.readUInt16BE(3)
  if (begin.length < length && length <= maxHelloBytes) return undefined
  return begin.subarray(0, length).includes(offered)
}

/** Calls `found` when the hello is complete; the bytes that were read are put back first. */
function readHello(socket: Socket, found: (offers: boolean) => void): void {
  let begin: Buffer = Buffer.alloc(0)
  const late = setTimeout(() => socket.destroy(), handshakeTimeoutMs)
  const end = () => {
    clearTimeout(late)
    socket.off('readable', read).off('end', leave).off('error', ignore).off('close', end)
  }
  // Half of a connection would stay open, as HTTP wants it.
  const leave = () => socket.destroy()
  const read = () => {
    const chunk: Buffer | null = socket.read()
    if (chunk === null) return
    begin = Buffer.concat([begin, chunk])
    const offers = offersChallenge(begin)
    if (offers === undefined) return
    end()
    socket.unshift(begin)
    found(offers)
  }
  socket.on('readable', read).on('end', leave).on('error', ignore).on('close', end)
}

const ignore = () => undefined

async function challengeContext(
  host: string,
  keyAuthorizationOf: (host: string) => Promise<string | undefined>,
): Promise<SecureContext> {
  const keyAuthorization = await keyAuthorizationOf(host)
  if (keyAuthorization === undefined) throw new Error('nobody has ordered a certificate for this host')
  const { challengeCertificate } = await import('./acme.js')
  return createSecureContext(await challengeCertificate(host, keyAuthorization))
}

/**
 * Gives connections of a certificate authority that asks by TLS-ALPN-01 to a server of their own, so that nobody else
 * is ever shown the certificate of a challenge: when a server chooses a certificate it knows the host and not yet
 * the protocol (docs/decisions/500-certificates.md).
 */
function divertChallenges(
  server: Server,
  keyAuthorizationOf: (host: string) => Promise<string | undefined>,
): void {
  const challenges = createTlsServer({
    ALPNProtocols: [protocol],
    handshakeTimeout: handshakeTimeoutMs,
    SNICallback: (host, done) => {
      challengeContext(host.toLowerCase(), keyAuthorizationOf).then(
        context => done(null, context),
        error => done(error),
      )
    },
  })
  challenges.on('secureConnection', socket => socket.on('error', ignore).end())
  challenges.on('tlsClientError', (_error, socket) => socket.destroy())
  const accept = server.rawListeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) =>
    readHello(socket, offers => {
      if (offers) challenges.emit('connection', socket)
      else for (const listener of accept) listener.call(server, socket)
    }),
  )
}
