import { isIP } from 'node:net'
import { generate } from 'selfsigned'
import type { Certificate } from '../ports.js'
import { readCertificate } from './certificate-files.js'

/** Apple's limit for certificates that clients are configured to trust. */
const lifetimeMs = 397 * 86_400_000
/** For clients whose clock is late. */
const backdatedMs = 3_600_000

/** A certificate for hosts and for this machine's own addresses, with a new P-256 key. */
export async function selfSignedCertificate(names: readonly string[], now: number): Promise<Certificate> {
  const hosts = [...new Set([...names.map(name => name.replace(/^\[|\]$/g, '')), '127.0.0.1', '::1'])]
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'Slugline self-signed' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - backdatedMs),
    notAfterDate: new Date(now - backdatedMs + lifetimeMs),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: hosts.map(host => (isIP(host) ? { type: 7, ip: host } : { type: 2, value: host })),
      },
    ],
  })
  return readCertificate(`${key.trimEnd()}\n${cert}`)
}
