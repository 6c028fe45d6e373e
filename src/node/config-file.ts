import { readFileSync, statSync } from 'node:fs'
import { type Config, ConfigError, parseConfig } from '../config.js'

/** Where the certificates of other environments than local live must be a folder that exists (1). */
function refuseMissingCertificates({ cert_dir, environment }: Config): void {
  const needed = !environment.startsWith('local')
  if (cert_dir === undefined && !needed) return
  const exists = cert_dir !== undefined && statSync(cert_dir, { throwIfNoEntry: false })?.isDirectory()
  if (!exists) throw new ConfigError('cert_dir: Certificate Directory path is invalid')
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
