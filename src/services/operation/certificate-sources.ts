import type { Config } from '../../config.js'
import type { Certificate, Certificates, Clock, Log } from '../../ports.js'
import { covers, renewalTime, siteHosts } from './certificate-rules.js'

/** Where the certificate of HTTPS comes from. */
export interface CertificateSource {
  /** The first certificate to serve. @throws ConfigError when there can be none */
  first(): Promise<Certificate>
  /** Renews a certificate that is due and serves it. @returns when to look again, in milliseconds */
  look(): Promise<number>
  served(): Certificate | undefined
  stop(): void
}

interface SourceParts {
  runtime: Certificates
  clock: Clock
  log: Log
}

const fileIntervalMs = 5000
const hour = 3_600_000

/** Files of the operator, read again when they change. */
export function ownFiles({ runtime, log }: SourceParts): CertificateSource {
  let served: Certificate | undefined
  let complained = false
  return {
    async first() {
      const found = await runtime.ownFiles()
      if (!found) throw new Error('the files of the certificate were read before')
      served = found
      return found
    },
    async look() {
      try {
        const changed = await runtime.ownFiles()
        if (changed) {
          runtime.use(changed)
          served = changed
          log.info(
            { names: changed.names, not_after: new Date(changed.notAfter) },
            'the certificate was reloaded',
          )
        }
        complained = false
      } catch (error) {
        // The two files are not replaced at the same moment, so the next look may find them whole.
        if (!complained) log.warn({ reason: String(error) }, 'the changed certificate cannot be used')
        complained = true
      }
      return fileIntervalMs
    },
    served: () => served,
    stop: () => undefined,
  }
}

const selfSignedName = 'self-signed'

/** A certificate that the service signs itself, made again when its time or its names are over. */
export function selfSigned({
  runtime,
  clock,
  log,
  config,
}: SourceParts & { config: () => Config }): CertificateSource {
  let served: Certificate | undefined
  const names = () => [...new Set([...siteHosts(config()), 'localhost'])]
  const isGood = (certificate: Certificate | undefined): certificate is Certificate =>
    certificate !== undefined &&
    covers(certificate, names().filter(isHostName)) &&
    clock.now() >= certificate.notBefore &&
    clock.now() < renewalTime(certificate, 0)

  async function made(): Promise<Certificate> {
    const certificate = await runtime.selfSigned(names())
    await runtime.store(selfSignedName, certificate)
    log.info(
      { names: certificate.names, not_after: new Date(certificate.notAfter) },
      'a self-signed certificate was created',
    )
    return certificate
  }

  return {
    async first() {
      const kept = await runtime.load(selfSignedName)
      served = isGood(kept) ? kept : await made()
      return served
    },
    async look() {
      if (!isGood(served)) {
        served = await made()
        runtime.use(served)
      }
      return hour
    },
    served: () => served,
    stop: () => undefined,
  }
}

/** Addresses are not among the names of a certificate. */
const isHostName = (host: string): boolean => !/^[\d.]+$|:/.test(host)
