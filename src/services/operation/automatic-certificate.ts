import { systemActor } from '../../actor.js'
import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import { internalTables } from '../../db/tables.js'
import { timestamp } from '../../ids.js'
import type { Certificate, Certificates, Ports } from '../../ports.js'
import { type SecretBox, secretBox } from '../secret-box.js'
import type { AcmeChallenges } from './acme-challenges.js'
import {
  acmeDirectory,
  acmeName,
  covers,
  renewalTime,
  retryDelay,
  siteDomains,
  siteHosts,
} from './certificate-rules.js'
import type { CertificateSource } from './certificate-sources.js'
import { withLease } from './leases.js'

const { certificates: table } = internalTables

const pollMs = 5000
const maxWaitMs = 3_600_000

const dueAtOnce = {
  reason:
    'the issued certificate is due at once, or not for these names: is the clock of this machine right?',
  retryAfterMs: undefined,
}

interface AcmeParts extends Pick<Ports, 'clock' | 'random' | 'log'> {
  runtime: Certificates
  challenges: AcmeChallenges
  config: () => Config
}

/**
 * A certificate by ACME (docs/decisions/500-certificates.md). Instances share the newest one through the database, and
 * one at a time orders.
 */
export class AutomaticCertificate implements CertificateSource {
  readonly #stopping = new AbortController()
  readonly #directory: string
  /** Names the row and the file by the authority: the certificates of one must not be used for another. */
  readonly #name: string
  #current: Certificate | undefined
  #dueAt = 0
  #seen: string | null = null
  #box: SecretBox | undefined
  /** The first order of a process waits for no earlier failure: a restart is how an operator says "now". */
  #tried = false
  #complained = false

  constructor(
    private readonly db: Database,
    private readonly parts: AcmeParts,
  ) {
    this.#directory = acmeDirectory(parts.config())
    this.#name = acmeName(this.#directory)
  }

  async first(): Promise<Certificate> {
    const { runtime, config } = this.parts
    const kept = await runtime.load(this.#name)
    if (kept) this.#take(kept)
    await this.#adopt(await this.#row())
    return this.#current ?? runtime.selfSigned([...new Set([...siteHosts(config()), 'localhost'])])
  }

  served(): Certificate | undefined {
    return this.#current && covers(this.#current, this.#names()) ? this.#current : undefined
  }

  stop(): void {
    this.#stopping.abort()
  }

  async look(): Promise<number> {
    const { clock, log } = this.parts
    if (this.#names().length === 0) {
      if (!this.#complained)
        log.warn(
          {},
          'no certificate can be ordered, because client_site has no domain: a self-signed one is served',
        )
      this.#complained = true
      return maxWaitMs
    }
    const row = await this.#row()
    await this.#adopt(row)
    if (this.#isDue()) {
      const waits = this.#tried && row?.retry_at != null && row.retry_at > timestamp(clock.now())
      if (!waits) await this.#orderAlone()
    }
    return this.#isDue() ? pollMs : Math.min(Math.max(this.#dueAt - clock.now(), 0), maxWaitMs)
  }

  #names(): string[] {
    return siteDomains(this.parts.config())
  }

  #isDue(): boolean {
    return !this.served() || this.parts.clock.now() >= this.#dueAt
  }

  #take(certificate: Certificate): void {
    this.#current = certificate
    this.#dueAt = renewalTime(certificate, this.#fraction())
  }

  #fraction(): number {
    const [a = 0, b = 0] = this.parts.random.bytes(2)
    return (a * 256 + b) / 65_536
  }

  #row() {
    return this.db.get(table, this.#name)
  }

  #secretBox(): SecretBox | undefined {
    const { app_secret } = this.parts.config()
    if (app_secret) this.#box ??= secretBox(app_secret)
    return this.#box
  }

  async #adopt(row: { sealed: string | null } | undefined): Promise<void> {
    const { runtime, log } = this.parts
    if (row?.sealed == null || row.sealed === this.#seen) return
    this.#seen = row.sealed
    const pem = await this.#secretBox()?.open(row.sealed)
    if (pem === undefined) {
      log.warn(
        {},
        'the shared certificate was encrypted with another app_secret: this instance orders its own',
      )
      return
    }
    const found = runtime.read(pem)
    if (!found || !covers(found, this.#names())) return
    if (this.served() && found.notAfter <= (this.#current?.notAfter ?? 0)) return
    await this.#serve(found)
  }

  async #serve(certificate: Certificate): Promise<void> {
    const { runtime, log } = this.parts
    this.#take(certificate)
    runtime.use(certificate)
    await runtime.store(this.#name, certificate).catch(error => {
      log.warn({ err: error }, 'the certificate could not be stored in cert_dir')
    })
  }

  #orderAlone(): Promise<void> {
    return withLease(this.db, 'certificate', this.parts, async () => {
      const row = await this.#row()
      await this.#adopt(row)
      if (!this.#isDue() || this.#stopping.signal.aborted) return
      this.#tried = true
      await this.#order(row?.failures ?? 0)
    })
  }

  async #order(failures: number): Promise<void> {
    const { runtime, challenges, log, config } = this.parts
    const { acme_challenge: kind, acme_email } = config()
    const names = this.#names()
    const { signal } = this.#stopping
    const ordered = await runtime.order({
      directoryUrl: this.#directory,
      email: acme_email || undefined,
      names,
      challenge: kind,
      present: (subject, keyAuthorization) => challenges.present(kind, subject, keyAuthorization),
      withdraw: subject => challenges.withdraw(kind, subject),
      signal,
    })
    // An order that a stop has ended did not fail, so it is not noted.
    if (ordered.kind === 'failed') {
      if (!signal.aborted) await this.#noteFailure(failures + 1, ordered)
      return
    }
    await this.#serve(ordered.certificate)
    const not_after = new Date(ordered.certificate.notAfter)
    log.info({ names, not_after, challenge: kind }, 'a certificate was issued')
    const sealed = (await this.#secretBox()?.seal(ordered.certificate.pem)) ?? null
    this.#seen = sealed
    await this.#save({ sealed, failures: 0, retry_at: null })
    // Without a wait, orders would follow one another as fast as they can.
    if (this.#isDue()) await this.#noteFailure(failures + 1, dueAtOnce)
  }

  async #noteFailure(failures: number, failed: { reason: string; retryAfterMs: number | undefined }) {
    const { clock, log } = this.parts
    const wait = retryDelay(failures, this.#fraction(), failed.retryAfterMs)
    log.warn(
      { reason: failed.reason, names: this.#names(), failures, retry_in_s: Math.round(wait / 1000) },
      'no certificate was issued',
    )
    await this.#save({ failures, retry_at: timestamp(clock.now() + wait) })
  }

  /** Saves the state. If that fails, another instance may order once more, and the served certificate stays. */
  async #save(state: { sealed?: string | null; failures: number; retry_at: string | null }): Promise<void> {
    await this.db
      .write(systemActor, async tx => {
        const [row] = await tx.lockAll(table, { name: this.#name })
        if (row) await tx.updateInternal(table, [this.#name], state)
        else await tx.insertInternal(table, { name: this.#name, sealed: null, ...state })
      })
      .catch(error => this.parts.log.warn({ err: error }, 'the certificate could not be shared'))
  }
}
