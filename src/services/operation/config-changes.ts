import { type Config, parseConfig } from '../../config.js'
import { type ConfigName, configFields, defaultIn, isConfigName } from '../../config-fields.js'
import { badRequest, ConfigError, forbidden, invalid, unknownMember } from '../../errors.js'
import { isFileAddress } from '../../media-folder.js'
import type { ConfigFile } from '../../ports.js'
import { mask, refuseKeptSecrets } from '../secrets.js'

export type Json = Record<string, unknown>

/** The fields that a request really changes; null gives one its default again. */
export type Changes = ReadonlyMap<ConfigName, unknown>

export const configNames = Object.keys(configFields) as ConfigName[]

/** Secrets that must be given again when the address that they are sent to changes. */
const secretsSentTo: Readonly<Partial<Record<ConfigName, readonly ConfigName[]>>> = {
  bucket_endpoint: ['bucket_access_key', 'bucket_secret_key'],
  bucket_admin_endpoint: ['bucket_admin_access_key', 'bucket_admin_secret_key'],
  email_host: ['email_password'],
  email_port: ['email_password'],
  email_tls: ['email_password'],
  oauth_endpoint: ['oauth_client_secret'],
}

const isSet = (value: unknown) => value !== undefined && value !== null && value !== ''
export const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Values of fields with the environment that they are for, which decides over some defaults. */
export interface Stored {
  readonly values: Json
  readonly environment: string
}

/** A field as it is stored, or its default. */
export function valueIn(name: ConfigName, { values, environment }: Stored): unknown {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  return value === undefined ? (defaultIn(environment, name) ?? null) : value
}

function shownField(name: ConfigName, stored: Stored): unknown {
  const value = valueIn(name, stored)
  if (configFields[name].secret) return isSet(value) ? mask : null
  return value
}

export const shownFields = (names: Iterable<ConfigName>, stored: Stored): Json =>
  Object.fromEntries([...names].map(name => [name, shownField(name, stored)]))

function namesVariable(value: unknown, present: unknown): boolean {
  if (typeof value === 'string') return value.includes('${') && value !== present
  if (Array.isArray(value))
    return value.some((one, i) => namesVariable(one, Array.isArray(present) ? present[i] : undefined))
  if (isObject(value))
    return Object.entries(value).some(([name, one]) =>
      namesVariable(one, isObject(present) ? present[name] : undefined),
    )
  return false
}

/** Fields whose value may be a folder. */
export const isStorage = (name: ConfigName): boolean =>
  name === 'bucket_endpoint' || name === 'bucket_admin_endpoint'

function refuseChange(name: ConfigName, value: unknown, present: unknown, byAdministrator: boolean): void {
  const { secret, fileOnly, administrator } = configFields[name]
  if (fileOnly) throw forbidden(`${name}: can be set only in the file`)
  if (administrator && !byAdministrator) throw forbidden(`${name}: only an administrator can change it`)
  // Whoever names a folder decides where the service writes on its machine.
  if (isStorage(name) && isFileAddress(value))
    throw forbidden(`${name}: a folder can be set only in the file`)
  if (secret && value === mask) throw invalid(name, 'must be a new value, not the mask')
  if (namesVariable(value, present)) throw invalid(name, 'variables can be used only in the file')
}

/** @throws 400 for what no request can set, 403 for what only the file or an administrator sets */
export function changesIn(given: Json, stored: Stored, byAdministrator: boolean): Changes {
  const changes = new Map<ConfigName, unknown>()
  for (const [name, value] of Object.entries(given)) {
    if (name === 'restart_required' || name === 'set_by_file') continue
    if (!isConfigName(name)) throw unknownMember([name], configNames, 'field')
    if (same(value, shownField(name, stored))) continue
    refuseChange(name, value, stored.values[name], byAdministrator)
    changes.set(name, value)
  }
  return changes
}

export function withChanges(before: Json, changes: Changes): Json {
  const after = { ...before }
  for (const [name, value] of changes)
    if (value === null) delete after[name]
    else after[name] = value
  return after
}

/** @throws 400 for stored secrets of an address that changes */
export function refuseStoredSecrets(changes: Changes, before: Json): void {
  for (const name of changes.keys()) {
    const sent = secretsSentTo[name] ?? []
    refuseKeptSecrets(
      name,
      sent.filter(secret => isSet(before[secret]) && !changes.has(secret)),
    )
  }
}

const certificateFields: readonly ConfigName[] = ['environment', 'cert_dir']

/** @throws 400 that names the field */
export function parsedConfig(
  values: Json,
  changes: Changes,
  { variables, file }: { variables: Record<string, string | undefined>; file: Pick<ConfigFile, 'check'> },
): Config {
  try {
    const { config } = parseConfig(values, variables)
    if (certificateFields.some(name => changes.has(name))) file.check(config)
    return config
  } catch (error) {
    if (error instanceof ConfigError) throw badRequest(error.message, error.field)
    throw error
  }
}
