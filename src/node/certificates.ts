import { createPrivateKey } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../errors.js'
import type { Certificate, Certificates } from '../ports.js'
import { certificateFolder, certificateIn, readCertificate } from './certificate-files.js'

interface Settings {
  /** The certificate directory; undefined where only files of the operator are read. */
  folder: string | undefined
  /** The operator's own files; without names they are those that certbot writes, in the certificate directory. */
  files: { cert: string | undefined; key: string | undefined }
  now(): number
  use(certificate: Certificate): void
}

const accountName = 'acme-account'

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

/** @throws ConfigError that names the field */
async function readOwn(field: string, path: string): Promise<{ text: string; changed: string }> {
  try {
    // The file behind a link, for that is how those who renew them replace them.
    const { mtimeMs, ino, size } = await stat(path)
    return { text: await readFile(path, 'utf8'), changed: `${mtimeMs} ${ino} ${size}` }
  } catch (error) {
    throw new ConfigError(`${field}: ${path} cannot be read (${codeOf(error)})`)
  }
}

/** The key alone, whatever else its file holds. @throws ConfigError */
function keyIn(path: string, text: string): string {
  try {
    return createPrivateKey(text).export({ type: 'pkcs8', format: 'pem' }).toString()
  } catch {
    throw new ConfigError(`tls_key_file: ${path} must contain a private key without a password`)
  }
}

/** @throws ConfigError */
function paired(path: string, cert: string, key: string): Certificate {
  try {
    return readCertificate(key + cert)
  } catch (error) {
    const isOther = error instanceof Error && error.message.startsWith('the key')
    throw new ConfigError(`tls_cert_file: ${path}: ${isOther ? error.message : 'holds no certificate'}`)
  }
}

/** The certificates of the listener for HTTPS, in files. */
export function nodeCertificates({ folder = '.', files, now, use }: Settings): Certificates {
  const kept = certificateFolder(folder)
  let seen = ''

  async function accountKey(): Promise<string> {
    const known = await kept.read(accountName)
    if (known) return known
    const { newKey } = await import('./acme.js')
    const made = await newKey()
    await kept.write(accountName, made)
    return made
  }

  return {
    read: certificateIn,
    use,
    async load(name) {
      const pem = await kept.read(name)
      return pem === undefined ? undefined : certificateIn(pem)
    },
    store: (name, { pem }) => kept.write(name, pem),
    async selfSigned(names) {
      const { selfSignedCertificate } = await import('./self-signed.js')
      return selfSignedCertificate(names, now())
    },
    async order(order) {
      try {
        const { orderCertificate } = await import('./acme.js')
        return await orderCertificate(order, await accountKey())
      } catch (error) {
        // The account's key could not be kept, and accounts are limited too.
        return { kind: 'failed', reason: `the account key: ${codeOf(error)}`, retryAfterMs: undefined }
      }
    },
    async ownFiles() {
      const certPath = files.cert || join(folder, 'fullchain.pem')
      const keyPath = files.key || join(folder, 'privkey.pem')
      const cert = await readOwn('tls_cert_file', certPath)
      const key = await readOwn('tls_key_file', keyPath)
      const both = `${cert.changed} ${key.changed}`
      if (both === seen) return undefined
      const certificate = paired(certPath, cert.text, keyIn(keyPath, key.text))
      seen = both
      return certificate
    },
  }
}
