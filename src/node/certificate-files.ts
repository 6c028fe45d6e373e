import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Certificate } from '../ports.js'
import { ifMissing, replaceFile } from './own-file.js'

const namesIn = (alternatives = ''): string[] =>
  alternatives
    .split(', ')
    .filter(one => one.startsWith('DNS:'))
    .map(one => one.slice(4).toLowerCase())

/**
 * Reads a private key and its certificate chain.
 * @param pem both, in any order; of several certificates the first is the one
 * @throws when there is no key or no certificate, or they do not belong together
 */
export function readCertificate(pem: string): Certificate {
  const first = new X509Certificate(pem)
  if (!first.checkPrivateKey(createPrivateKey(pem))) throw new Error('the key belongs to another certificate')
  return {
    pem,
    names: namesIn(first.subjectAltName),
    notBefore: Date.parse(first.validFrom),
    notAfter: Date.parse(first.validTo),
  }
}

/** Reads a private key and its chain; undefined instead of throwing. */
export function certificateIn(pem: string): Certificate | undefined {
  try {
    return readCertificate(pem)
  } catch {
    return undefined
  }
}

/** Files of the certificate directory. Key and chain are one file, so that they are replaced together. */
export const certificateFolder = (folder: string) => {
  const pathOf = (name: string) => join(folder, `${name}.pem`)
  return {
    read: (name: string): Promise<string | undefined> => readFile(pathOf(name), 'utf8').catch(ifMissing),
    write: (name: string, pem: string): Promise<void> => replaceFile(pathOf(name), pem, 0o600),
  }
}
