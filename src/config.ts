import { z } from 'zod'
import { type ConfigName, configFields, defaultIn, isConfigName } from './config-fields.js'
import { ConfigError } from './errors.js'
import { mediaFolder } from './media-folder.js'

type Shape = { [N in ConfigName]: (typeof configFields)[N]['schema'] }

const shape = Object.fromEntries(
  Object.entries(configFields).map(([name, { schema }]) => [name, schema]),
) as unknown as Shape

/** Names of folders that no disk takes for another one, whatever it thinks of capital letters. */
const folderName = /^[a-z0-9][a-z0-9.-]{0,62}$/
const folderPath = /^\/*(?:\w[\w.-]{0,99}\/+)*(?:\w[\w.-]{0,99})?$/

const Schema = z.object(shape).superRefine((config, context) => {
  const refuse = (name: ConfigName, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message })
  if (config.cookie_samesite === 'none' && !config.cookie_secure)
    refuse('cookie_samesite', '"none" requires cookie_secure true')
  if (/^__(Host|Secure)-/.test(config.cookie_name) && !config.cookie_secure)
    refuse('cookie_name', 'this prefix needs cookie_secure true')
  if (config.cors_credentials && config.cors_origins.includes('*'))
    refuse('cors_origins', '"*" cannot be combined with cors_credentials true')
  if (config.db_read_only && tlsSource(config) === 'acme')
    refuse(
      'db_read_only',
      'needs "tls": "off" or "files": an instance that only reads cannot get certificates',
    )
  if ([config.bucket_endpoint, config.bucket_admin_endpoint].some(at => mediaFolder(at) !== undefined)) {
    for (const name of ['bucket_media', 'bucket_backup', 'bucket_admin_media'] as const)
      if (config[name] && !folderName.test(config[name]))
        refuse(name, 'must have only a-z, 0-9, - and ., because it is the name of a folder')
    if (!folderPath.test(config.bucket_media_prefix))
      refuse('bucket_media_prefix', 'must have only letters, digits, -, _, . and /, because it is a folder')
  }
  const providerName = config.oauth_provider_name?.trim().toLowerCase()
  if (config.oauth_providers?.some(({ id }) => id === providerName))
    refuse('oauth_provider_name', 'must differ from each id in oauth_providers')
  if (config.db_driver === 'sqlite' && config.db_url?.startsWith(':memory:'))
    refuse('db_url', 'must be a file: a database in memory would lose acknowledged writes')
})

export type Config = z.output<typeof Schema>

/** The file that the database is; undefined for a server. */
export const databaseFile = ({
  db_driver,
  db_url,
}: Pick<Config, 'db_driver' | 'db_url'>): string | undefined =>
  db_driver === 'sqlite' ? db_url || './modula.db' : undefined

/** Where the certificate of HTTPS comes from; `off` where HTTPS is not served here. */
export type TlsSource = 'off' | 'self-signed' | 'acme' | 'files'

export function tlsSource({ environment, tls }: Pick<Config, 'environment' | 'tls'>): TlsSource {
  if (tls === 'off' || environment.startsWith('local')) return 'off'
  if (tls === 'files') return 'files'
  return environment.startsWith('development') ? 'self-signed' : 'acme'
}

/**
 * Replaces each `${VAR}` in every text, at any depth.
 * @throws ConfigError that names the field when a variable is not set
 */
function expand(value: unknown, field: string, variables: Record<string, string | undefined>): unknown {
  if (typeof value === 'string')
    return value.replaceAll(/\$\{([^{}]*)\}/g, (_, name: string) => {
      const found = variables[name]
      if (found === undefined)
        throw new ConfigError(`${field}: environment variable ${name} is not set`, field)
      return found
    })
  if (Array.isArray(value)) return value.map((one, i) => expand(one, `${field}[${i}]`, variables))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, expand(one, `${field}.${name}`, variables)]),
    )
  return value
}

/** A number or boolean may come from a variable, which is always text. */
function expandField(name: string, value: unknown, variables: Record<string, string | undefined>): unknown {
  const expanded = expand(value, name, variables)
  if (expanded === value || typeof expanded !== 'string') return expanded
  const schema = (configFields as Record<string, { schema: z.ZodType } | undefined>)[name]?.schema
  if (!schema || schema.safeParse(expanded).success) return expanded
  try {
    return JSON.parse(expanded)
  } catch {
    return expanded
  }
}

const defaultsIn = (environment: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(configFields).flatMap(([name, { defaultInProduction }]) =>
      defaultInProduction === undefined ? [] : [[name, defaultIn(String(environment), name as ConfigName)]],
    ),
  )

/**
 * @param file the parsed content of `cms.config.json`
 * @returns the complete configuration and the names that the service does not know
 * @throws ConfigError whose one-line message begins with the field
 */
export function parseConfig(
  file: unknown,
  variables: Record<string, string | undefined>,
): { config: Config; unknown: string[] } {
  if (typeof file !== 'object' || file === null || Array.isArray(file))
    throw new ConfigError('must contain a JSON object')
  const expanded = Object.fromEntries(
    Object.entries(file).map(([name, value]) => [name, expandField(name, value, variables)]),
  )
  const parsed = Schema.safeParse({ ...defaultsIn(expanded.environment), ...expanded })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const field = issue?.path.join('.')
    throw new ConfigError(`${field}: ${issue?.message}`, field)
  }
  return { config: parsed.data, unknown: Object.keys(file).filter(name => !isConfigName(name)) }
}
