import type { Config } from '../../config.js'
import { tlsSource } from '../../config.js'
import type { Database } from '../../db/database.js'
import type { Certificates, Ports } from '../../ports.js'
import { acmeChallenges } from './acme-challenges.js'
import { type CertificateState, certificateState } from './certificate-rules.js'
import type { CertificateSource } from './certificate-sources.js'

const failedMs = 30_000

type CertificateParts = Pick<Ports, 'clock' | 'random' | 'log'> & { config: () => Config }

async function sourceOf(
  db: Database,
  runtime: Certificates,
  parts: CertificateParts & { challenges: ReturnType<typeof acmeChallenges> },
): Promise<CertificateSource> {
  const kind = tlsSource(parts.config())
  if (kind === 'acme') {
    const { AutomaticCertificate } = await import('./automatic-certificate.js')
    return new AutomaticCertificate(db, { ...parts, runtime })
  }
  const { ownFiles, selfSigned } = await import('./certificate-sources.js')
  return kind === 'files' ? ownFiles({ ...parts, runtime }) : selfSigned({ ...parts, runtime })
}

/** The certificate of HTTPS, where the service itself serves that: had, renewed, and its state. */
export function certificates(db: Database, parts: CertificateParts) {
  const { clock, log } = parts
  const challenges = acmeChallenges(db, clock)
  let source: CertificateSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> | undefined
  let stopped = false

  async function look(): Promise<void> {
    const wait = await source?.look().catch(error => {
      log.warn({ err: error }, 'the certificate could not be checked')
      return failedMs
    })
    if (!stopped && wait !== undefined) timer = setTimeout(run, wait).unref()
  }
  function run(): void {
    running = look()
  }

  return {
    challenges,
    /** Finds or makes the first certificate. @throws ConfigError when there can be none */
    async open(runtime: Certificates): Promise<void> {
      const opened = await sourceOf(db, runtime, { ...parts, challenges })
      runtime.use(await opened.first())
      source = opened
    },
    keep: run,
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      source?.stop()
      await running
    },
    /** Undefined where HTTPS is not served here. */
    state: (): CertificateState | undefined => source && certificateState(source.served(), clock.now()),
  }
}
