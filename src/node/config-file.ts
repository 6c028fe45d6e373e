import { existsSync, readFileSync, statSync } from 'node:fs'
import { access, constants, readFile, stat } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { type Config, databaseFile, parseConfig, tlsSource } from '../config.js'
import { ConfigError } from '../errors.js'
import { mediaFolder } from '../media-folder.js'
import type { ConfigFile } from '../ports.js'
import { ifMissing, replaceFile } from './own-file.js'

function refuseMissingCertificates(config: Config): void {
  const { cert_dir, tls_cert_file, tls_key_file } = config
  const source = tlsSource(config)
  const needed = source === 'files' ? !tls_cert_file || !tls_key_file : source !== 'off'
  if (cert_dir === undefined && !needed) return
  const exists = cert_dir !== undefined && statSync(cert_dir, { throwIfNoEntry: false })?.isDirectory()
  if (!exists) throw new ConfigError('cert_dir: Certificate Directory path is invalid', 'cert_dir')
}

const pathFields = ['ssh_host_key', 'tls_cert_file', 'tls_key_file', 'cert_dir', 'backup_dir'] as const

/** The configuration with whole paths: relative ones begin at the folder of its file, wherever a command is typed. */
export function withWholePaths(config: Config, path: string): Config {
  const folder = dirname(resolve(path))
  const whole: Partial<Config> = Object.fromEntries(
    pathFields.flatMap(name => (config[name] === undefined ? [] : [[name, resolve(folder, config[name])]])),
  )
  for (const name of ['bucket_endpoint', 'bucket_admin_endpoint'] as const) {
    const media = mediaFolder(config[name])
    if (media !== undefined) whole[name] = `file:${resolve(folder, media)}`
  }
  const database = databaseFile(config)
  return { ...config, ...whole, ...(database !== undefined && { db_url: resolve(folder, database) }) }
}

/**
 * Refuses to make an empty database beside the configuration while the working folder has one, where relative paths
 * began before.
 * @throws ConfigError that names both places
 */
export function refuseLeftDatabase({ config, path }: { config: Config; path: string }): void {
  const database = databaseFile(config)
  if (database === undefined || existsSync(database)) return
  const before = resolve(relative(dirname(resolve(path)), database))
  if (existsSync(before))
    throw new ConfigError(
      `db_url: there is no database ${database}, but there is ${before}: relative paths begin at the configuration file, so move the database there, or name its whole path`,
      'db_url',
    )
}

/**
 * Reads `cms.config.json`; without the file every field has its default.
 * @param given a path that must exist, or undefined for `./cms.config.json` if it does
 * @throws ConfigError with one line that names the file and the field
 */
export function loadConfig(
  given: string | undefined,
  variables: Record<string, string | undefined>,
): { config: Config; unknown: string[]; path: string } {
  const path = given ?? './cms.config.json'
  try {
    const exists = statSync(path, { throwIfNoEntry: false })?.isFile()
    if (!exists && given !== undefined) throw new ConfigError('the file does not exist')
    let parsed: unknown = {}
    if (exists)
      try {
        parsed = JSON.parse(readFileSync(path, 'utf8'))
      } catch (error) {
        throw new ConfigError(`is not JSON: ${error instanceof Error ? error.message : error}`)
      }
    const { config: read, unknown } = parseConfig(parsed, variables)
    const config = withWholePaths(read, path)
    refuseMissingCertificates(config)
    return { config, unknown, path }
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`${path}: ${error.message}`)
    throw error
  }
}

/** The file as the running service reads and replaces it. */
export function configFileAt(given: string): ConfigFile {
  const path = resolve(given)
  return {
    check: config => refuseMissingCertificates(withWholePaths(config, path)),
    read: () => readFile(path, 'utf8').catch(ifMissing),
    async isWritable() {
      try {
        // It is replaced by a file beside it.
        await access(dirname(path), constants.W_OK)
        await access(path, constants.W_OK).catch(ifMissing)
        return true
      } catch {
        return false
      }
    },
    async write(text, before) {
      // It may hold secrets: a new file is readable by its owner only, an existing one keeps its mode.
      const mode = (await stat(path).catch(ifMissing))?.mode ?? 0o600
      await replaceFile(path, text, mode & 0o777, before)
    },
  }
}
