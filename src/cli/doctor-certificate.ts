import { lookup } from 'node:dns/promises'
import { access, constants } from 'node:fs/promises'
import { type Config, tlsSource } from '../config.js'
import { timestamp } from '../ids.js'
import { nodeCertificates } from '../node/certificates.js'
import type { Certificate } from '../ports.js'
import {
  acmeDirectory,
  acmeName,
  certificateState,
  covers,
  siteDomains,
  siteHosts,
} from '../services/operation/certificate-rules.js'
import {
  answerTimeoutMs,
  type Finding,
  failed,
  ok,
  type Patient,
  skipped,
  warning,
} from './doctor-finding.js'

const check = 'certificate'

function ofValidity(certificate: Certificate, advice: string): Finding {
  const until = timestamp(certificate.notAfter)
  const state = certificateState(certificate, Date.now())
  if (state === 'expired') return failed(check, `it has expired: ${until}`, advice)
  if (state === 'expiring') return warning(check, `it expires soon: ${until}`, advice)
  return ok(check, `valid until ${until}`)
}

async function ofFiles(config: Config, kept: ReturnType<typeof nodeCertificates>): Promise<Finding> {
  const certificate = await kept.ownFiles().catch(error => error as Error)
  if (!certificate || certificate instanceof Error)
    return failed(
      check,
      certificate?.message ?? 'the certificate is missing',
      'set tls_cert_file and tls_key_file',
    )
  const missing = siteHosts(config).filter(host => !covers(certificate, [host]))
  if (missing.length > 0)
    return warning(
      check,
      `it is not valid for ${missing.join(', ')}`,
      'get one that is valid for client_site and admin_site',
    )
  return ofValidity(certificate, 'renew it: the service reads changed files automatically')
}

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(answerTimeoutMs) }).then(
    answer => answer.ok,
    () => false,
  )

async function ofAuthority(config: Config, kept: ReturnType<typeof nodeCertificates>): Promise<Finding> {
  const domains = siteDomains(config)
  if (domains.length === 0)
    return failed(
      check,
      'no certificate can be issued without a domain',
      'set client_site to the domain of the site',
    )
  const lost = await Promise.all(
    domains.map(async name => ((await lookup(name).catch(() => undefined)) ? [] : [name])),
  )
  if (lost.flat().length > 0)
    return warning(
      check,
      `DNS has no address for ${lost.flat().join(', ')}`,
      'add a DNS record that points to this machine',
    )
  const directory = acmeDirectory(config)
  if (!(await answers(directory)))
    return warning(
      check,
      `${directory} does not respond`,
      'allow this machine to reach the certificate authority',
    )
  const certificate = await kept.load(acmeName(directory))
  if (!certificate || !covers(certificate, domains))
    return ok(check, `the service orders one for ${domains.join(', ')} when it starts`)
  return ofValidity(certificate, 'look for "no certificate was issued" in the log')
}

/** Checks the certificate of a service that serves HTTPS itself. */
export async function certificate({ config }: Patient): Promise<Finding> {
  const source = tlsSource(config)
  if (source === 'off') return skipped(check, 'this service does not serve HTTPS')
  const { cert_dir: folder, tls_cert_file: cert, tls_key_file: key } = config
  const kept = nodeCertificates({ folder, files: { cert, key }, now: Date.now, use() {} })
  if (source === 'files') return ofFiles(config, kept)
  const isWritable = await access(folder ?? '.', constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!isWritable)
    return failed(
      check,
      `${folder} cannot be written`,
      'make the account of the service the owner of cert_dir',
    )
  if (source === 'acme') return ofAuthority(config, kept)
  return ok(check, 'the service creates a self-signed one')
}
