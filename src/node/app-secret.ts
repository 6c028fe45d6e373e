import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Config } from '../config.js'
import { ConfigError } from '../errors.js'
import type { Log } from '../ports.js'
import { makeOwnFile } from './own-file.js'

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? (error.code as string) : undefined

function read(path: string): string | undefined {
  let secret: string
  try {
    secret = readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new ConfigError(`app_secret: ${path} cannot be read (${codeOf(error)})`)
  }
  if (secret === '')
    throw new ConfigError(`app_secret: ${path} is empty: restore the secret or set app_secret`)
  return secret
}

function readOrMake(path: string, log: Log): string | undefined {
  const known = read(path)
  if (known) return known
  try {
    makeOwnFile(path, `${randomBytes(32).toString('base64url')}\n`)
  } catch (error) {
    log.warn(
      { reason: codeOf(error) ?? String(error), file: path },
      'app_secret is not set and cannot be stored in a file: webhook secrets are not encrypted, and provider tokens are not stored',
    )
    return undefined
  }
  log.info(
    { file: path },
    'app_secret is not set: the service created one; keep it with every copy of the database',
  )
  return read(path)
}

interface Files {
  readonly configuration: string
  readonly database: string | undefined
}

/** The file of a secret that the configuration does not set. */
export const secretFile = ({ configuration, database }: Files): string =>
  `${database ?? configuration}.secret`

/** The configuration with the `app_secret` that a start has made, if the file names none. Makes none. */
export function withKeptSecret(config: Config, files: Files): Config {
  const app_secret = config.app_secret ?? read(secretFile(files))
  return app_secret === undefined ? config : { ...config, app_secret }
}

/**
 * The configuration with an `app_secret`: where none is set, one that the first start has made and keeps in a file that
 * only its owner reads. It is beside the database's own file, which all its instances share, or else beside the
 * configuration file.
 * @param files of the configuration, and of the database where it is a file
 * @throws ConfigError when the file is there and holds none
 */
export function withAppSecret(config: Config, files: Files, log: Log): Config {
  if (config.app_secret) return config
  const path = secretFile(files)
  const app_secret = readOrMake(path, log)
  if (files.database === undefined)
    log.warn(
      { file: path },
      'app_secret is not set: instances that share the database must have the same one',
    )
  return { ...config, app_secret }
}
