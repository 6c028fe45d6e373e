import { readFileSync, statSync } from 'node:fs'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Config, parseConfig, tlsSource } from '../config.js'
import { ConfigError } from '../errors.js'
import type { ConfigFile } from '../ports.js'

/** The folder of the certificates must exist where it is named, and where certificates are kept in it. */
function refuseMissingCertificates(config: Config): void {
  const { cert_dir, tls_cert_file, tls_key_file } = config
  const source = tlsSource(config)
  const needed = source === 'files' ? !tls_cert_file || !tls_key_file : source !== 'off'
  if (cert_dir === undefined && !needed) return
  const exists = cert_dir !== undefined && statSync(cert_dir, { throwIfNoEntry: false })?.isDirectory()
  if (!exists) throw new ConfigError('cert_dir: Certificate Directory path is invalid', 'cert_dir')
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
    if (!exists && given !== undefined) throw new ConfigError('there is no such file')
    let parsed: unknown = {}
    if (exists)
      try {
        parsed = JSON.parse(readFileSync(path, 'utf8'))
      } catch (error) {
        throw new ConfigError(`is not JSON: ${error instanceof Error ? error.message : error}`)
      }
    const read = parseConfig(parsed, variables)
    refuseMissingCertificates(read.config)
    return { ...read, path }
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`${path}: ${error.message}`)
    throw error
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The file as the running service reads and replaces it. */
export function configFileAt(given: string): ConfigFile {
  const path = resolve(given)
  const missing = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  }
  return {
    check: refuseMissingCertificates,
    read: () => readFile(path, 'utf8').catch(missing),
    async write(text, before) {
      // Secrets may be in it: as readable as the file is, and for its owner alone when there is none yet.
      const mode = (await stat(path).catch(missing))?.mode ?? 0o600
      const next = `${path}.next`
      await rm(next, { force: true })
      try {
        const handle = await open(next, 'wx', mode & 0o777)
        try {
          // Whatever the process masks.
          await handle.chmod(mode & 0o777)
          await handle.writeFile(text)
          await handle.sync()
        } finally {
          await handle.close()
        }
        await before()
        await rename(next, path)
      } catch (error) {
        await rm(next, { force: true })
        throw error
      }
      await sync(dirname(path))
    },
  }
}
