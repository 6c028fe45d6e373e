import type { Config } from '../../config.js'

interface Validity {
  readonly notBefore: number
  readonly notAfter: number
}

export type CertificateState = 'ok' | 'expiring' | 'expired' | 'pending'

/** With less of its life than this left, a renewal has failed for long: the operator should look. */
const expiringMs = 14 * 86_400_000

/**
 * When to renew: after two thirds of the life, and up to a thirtieth of it later, so that not all who began together
 * renew together. It follows from the life alone, so it holds for certificates of days and of months.
 * @param jitter from 0 to 1
 */
export function renewalTime({ notBefore, notAfter }: Validity, jitter: number): number {
  const life = notAfter - notBefore
  return notBefore + (life * 2) / 3 + (life * jitter) / 30
}

/** Returns the state that health reports. @param served undefined while the served certificate is not the wanted one */
export function certificateState(served: Validity | undefined, now: number): CertificateState {
  if (!served) return 'pending'
  const left = served.notAfter - now
  if (left <= 0) return 'expired'
  return left < Math.min(expiringMs, (served.notAfter - served.notBefore) / 6) ? 'expiring' : 'ok'
}

const minute = 60_000
/** Certificate authorities count failures by the hour: three fit into the first, and then hours lie between. */
const waits = [minute, 5 * minute, 30 * minute, 120 * minute, 360 * minute, 720 * minute]

/**
 * How long to wait after so many failures in a row, in milliseconds, and a tenth longer at most.
 * @param failures 1 or more
 * @param retryAfterMs what the certificate authority asked for, which is never cut short
 */
export function retryDelay(failures: number, jitter: number, retryAfterMs = 0): number {
  const wait = waits[Math.min(failures, waits.length) - 1] ?? minute
  return Math.round(Math.max(wait * (1 + jitter / 10), retryAfterMs))
}

/** A name that a public certificate may be for; no address, no `localhost`. */
const domain = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

function hostOf(site: string): string {
  const address = site.includes('://') ? site : `https://${site}`
  return URL.canParse(address) ? new URL(address).hostname : ''
}

/** The hosts of the configured sites, the primary one first. */
export function siteHosts({
  client_site = '',
  admin_site = '',
}: Pick<Config, 'client_site' | 'admin_site'>): string[] {
  return [...new Set([client_site, admin_site].map(hostOf))].filter(host => host !== '')
}

/** Those of them that a certificate authority can issue a certificate for. */
export const siteDomains = (config: Pick<Config, 'client_site' | 'admin_site'>): string[] =>
  siteHosts(config).filter(host => domain.test(host))

export const covers = (
  { names }: { readonly names: readonly string[] },
  wanted: readonly string[],
): boolean => wanted.every(name => names.includes(name))

const letsEncrypt = {
  staging: 'https://acme-staging-v02.api.letsencrypt.org/directory',
  production: 'https://acme-v02.api.letsencrypt.org/directory',
} as const

/** The address at which the certificate authority says what it can. */
export const acmeDirectory = ({
  acme_directory_url,
  environment,
}: Pick<Config, 'acme_directory_url' | 'environment'>): string =>
  acme_directory_url || letsEncrypt[environment.startsWith('staging') ? 'staging' : 'production']

/** The name under which a certificate of this authority is stored. */
export const acmeName = (directory: string): string =>
  `acme-${new URL(directory).host.replaceAll(/[^\w.-]/g, '_')}`
