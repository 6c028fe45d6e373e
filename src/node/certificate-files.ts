import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Certificate } from '../ports.js'

/** The host names of `DNS:a.example, IP Address:127.0.0.1`. */
const namesIn = (alternatives = ''): string[] =>
  alternatives
    .split(', ')
    .filter(one => one.startsWith('DNS:'))
    .map(one => one.slice(4).toLowerCase())

/**
 * What a private key and its chain say.
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

/** The same, undefined instead of throwing. */
export function certificateIn(pem: string): Certificate | undefined {
  try {
    return readCertificate(pem)
  } catch {
    return undefined
  }
}

const absent = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'ENOENT') throw error
  return undefined
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Replaces a file that only its owner reads; after a crash there is the old one or the new one, whole. */
async function replace(path: string, text: string): Promise<void> {
  const next = `${path}.${randomBytes(6).toString('hex')}.next`
  try {
    const handle = await open(next, 'wx', 0o600)
    try {
      // Whatever the process masks.
      await handle.chmod(0o600)
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(next, path)
  } catch (error) {
    await rm(next, { force: true })
    throw error
  }
  await sync(dirname(path))
}

/** Files of the certificate directory. Key and chain are one file, so that they are replaced together. */
export const certificateFolder = (folder: string) => {
  const pathOf = (name: string) => join(folder, `${name}.pem`)
  return {
    read: (name: string): Promise<string | undefined> => readFile(pathOf(name), 'utf8').catch(absent),
    write: (name: string, pem: string): Promise<void> => replace(pathOf(name), pem),
  }
}
