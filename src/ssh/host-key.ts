import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import ssh2 from 'ssh2'
import { ConfigError } from '../errors.js'
import { makeOwnFile } from '../node/own-file.js'
import type { Log } from '../ports.js'

export interface HostKey {
  readonly text: string
  readonly fingerprint: string
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? (error.code as string) : undefined

function read(path: string, log: Log): HostKey | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
    if ((statSync(path).mode & 0o077) !== 0)
      log.warn(
        { file: path },
        'ssh_host_key can be read by other accounts of this machine: remove that permission',
      )
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new ConfigError(`ssh_host_key: ${path} cannot be read (${codeOf(error)})`, 'ssh_host_key')
  }
  const key = ssh2.utils.parseKey(text)
  if (key instanceof Error || !key.isPrivateKey())
    throw new ConfigError(`ssh_host_key: ${path} must be a private key without a passphrase`, 'ssh_host_key')
  const digest = createHash('sha256').update(key.getPublicSSH()).digest('base64')
  return { text, fingerprint: `SHA256:${digest.replaceAll('=', '')}` }
}

/** Generates a private key in OpenSSH's format. The library writes one in 256 unreadably, so each is parsed here. */
export function newHostKey(): string {
  for (;;) {
    const { private: text } = ssh2.utils.generateKeyPairSync('ed25519')
    if (!(ssh2.utils.parseKey(text) instanceof Error)) return text
  }
}

/**
 * Returns the host key. The first start generates it (Ed25519) and stores it in a file that only its owner can read.
 * @returns undefined if it cannot be stored: a host with a new key at each start looks like an attack to every client
 * @throws ConfigError for a file without a key
 */
export function hostKey(path: string, log: Log): HostKey | undefined {
  const known = read(path, log)
  if (known) return known
  try {
    makeOwnFile(path, newHostKey())
  } catch (error) {
    log.error(
      { reason: codeOf(error) ?? String(error), file: path },
      'the SSH host key cannot be stored in a file, so the terminal is not served: set ssh_host_key to the path of a file',
    )
    return undefined
  }
  log.info({ file: path }, 'an SSH host key was created: keep it with every copy of the site')
  return read(path, log)
}
