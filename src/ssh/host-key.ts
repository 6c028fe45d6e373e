import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import ssh2 from 'ssh2'
import { ConfigError } from '../errors.js'
import { makeOwnFile } from '../node/own-file.js'
import type { Log } from '../ports.js'

/** The SSH host key. */
export interface HostKey {
  /** As it is in its file. */
  readonly text: string
  /** As `ssh` shows it when it connects for the first time. */
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
        'ssh_host_key can be read by other accounts of this machine: take that right away',
      )
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new ConfigError(`ssh_host_key: ${path} cannot be read (${codeOf(error)})`, 'ssh_host_key')
  }
  const key = ssh2.utils.parseKey(text)
  if (key instanceof Error || !key.isPrivateKey())
    throw new ConfigError(`ssh_host_key: ${path} is no private key without a passphrase`, 'ssh_host_key')
  const digest = createHash('sha256').update(key.getPublicSSH()).digest('base64')
  return { text, fingerprint: `SHA256:${digest.replaceAll('=', '')}` }
}

/** A private key in OpenSSH's form. The library writes one in 256 in a way that nobody reads, so it is read here. */
export function newHostKey(): string {
  for (;;) {
    const { private: text } = ssh2.utils.generateKeyPairSync('ed25519')
    if (!(ssh2.utils.parseKey(text) instanceof Error)) return text
  }
}

/**
 * The host key, which the first start makes (Ed25519) and keeps in a file that only its owner reads.
 * @returns undefined where it cannot be kept: a host with another key each time looks like an attack to every client
 * @throws ConfigError for a file that holds none
 */
export function hostKey(path: string, log: Log): HostKey | undefined {
  const known = read(path, log)
  if (known) return known
  try {
    makeOwnFile(path, newHostKey())
  } catch (error) {
    log.error(
      { reason: codeOf(error) ?? String(error), file: path },
      'the SSH host key cannot be kept in a file: the terminal is not served; set ssh_host_key to a place for it',
    )
    return undefined
  }
  log.info({ file: path }, 'an SSH host key was made: keep it with every copy of the site')
  return read(path, log)
}
