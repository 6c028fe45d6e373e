import { type Config, tlsSource } from './config.js'
import type { Peer } from './middleware/context.js'
import { plainPort } from './middleware/plain-port.js'
import { httpsAddress } from './net/https-address.js'
import { nodeCertificates } from './node/certificates.js'
import { type Listener, listen } from './node/http-listener.js'
import { ServedCertificate } from './node/tls.js'
import type { AcmeChallenge, Ports } from './ports.js'
import type { Services } from './services/index.js'
import { siteHosts } from './services/operation/certificate-rules.js'

/** The share of the connections for the plain port: its responses are short. */
const plainShare = 1 / 8

interface TlsParts {
  config: () => Config
  ports: Ports
  services: Pick<Services, 'certificates'>
  fetch: (request: Request, peer: Peer) => Response | Promise<Response>
  arrived: () => void
  maxConnections: number
  addressOf: (field: 'port' | 'ssl_port') => string
}

export interface SecureListeners {
  readonly port: number
  readonly sslPort: number
  stop(): Promise<void>
}

/**
 * Serves HTTPS, and on the plain port what leads there.
 * @throws ConfigError when there can be no certificate, or a port cannot be listened on
 */
export async function listenSecurely(parts: TlsParts): Promise<SecureListeners> {
  const { config, ports, services, fetch } = parts
  const { cert_dir, tls_cert_file, tls_key_file, acme_challenge, environment } = config()
  const { certificates } = services
  const certificate = new ServedCertificate()
  await certificates.open(
    nodeCertificates({
      folder: cert_dir,
      files: { cert: tls_cert_file, key: tls_key_file },
      now: ports.clock.now,
      use: one => certificate.use(one),
    }),
  )
  const find = certificates.challenges.find
  const isAsked = (kind: AcmeChallenge) => tlsSource(config()) === 'acme' && acme_challenge === kind
  const plainConnections = Math.ceil(parts.maxConnections * plainShare)
  const secure = await listen(parts.addressOf('ssl_port'), fetch, {
    log: ports.log,
    arrived: parts.arrived,
    field: 'ssl_port',
    maxConnections: parts.maxConnections - plainConnections,
    tls: {
      certificate,
      strict: environment.startsWith('production'),
      keyAuthorizationOf: isAsked('tls-alpn-01') ? host => find('tls-alpn-01', host) : undefined,
    },
  })
  let plain: Listener | undefined
  const handle = plainPort({
    health: fetch,
    healthPath: '/api/v1/health',
    keyAuthorizationOf: async token => (isAsked('http-01') ? find('http-01', token) : undefined),
    httpsAddressOf: url =>
      httpsAddress(url, { hosts: siteHosts(config()), port: plain?.port ?? 0, sslPort: secure.port }),
  })
  try {
    plain = await listen(parts.addressOf('port'), handle, {
      log: ports.log,
      maxConnections: plainConnections,
    })
  } catch (error) {
    await secure.stop()
    throw error
  }
  const { port, stop } = plain
  certificates.keep()
  return {
    port,
    sslPort: secure.port,
    async stop() {
      await Promise.all([certificates.stop(), stop(), secure.stop()])
    },
  }
}
