import { z } from 'zod'
import type { Actor } from '../../actor.js'
import { type Config, type ConfigName, configFields, isConfigName, parseConfig } from '../../config.js'
import type { Database } from '../../db/database.js'
import { badRequest, ConfigError, forbidden, invalid } from '../../errors.js'
import type { ConfigFile, Outgoing } from '../../ports.js'
import { Semaphore } from '../../semaphore.js'
import { mask } from '../secrets.js'

type Json = Record<string, unknown>

/** Any subset of the fields; each is checked by its own schema when it is set. */
export const ConfigUpdate = z.record(z.string(), z.json())

export interface ConfigurationService {
  /** Every field as the file has it, or its default: secrets masked, `${VAR}` texts as they are. */
  read(): Promise<Json>
  /** What there is to set: type, default, meaning, and how a change takes effect. */
  describe(): Json[]
  /**
   * Sets some fields, all or none, and writes the file. What needs no restart takes effect at once.
   * @returns the configuration as `read` gives it, and in `restart_required` which of these wait for the next start
   * @throws 400 for what is no valid configuration, 403 for what only the file sets
   */
  update(actor: Actor, given: Json, check?: (before: Json) => void): Promise<Json>
}

/** Secrets that must be given again when the address that they are sent to changes. */
const sentTo: Readonly<Partial<Record<ConfigName, readonly ConfigName[]>>> = {
  bucket_endpoint: ['bucket_access_key', 'bucket_secret_key'],
  bucket_admin_endpoint: ['bucket_admin_access_key', 'bucket_admin_secret_key'],
  email_host: ['email_password'],
  email_port: ['email_password'],
  email_tls: ['email_password'],
  oauth_endpoint: ['oauth_client_secret'],
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** True when a variable is named that the file does not name at this place already. */
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

/** The configuration file through the API. */
export function configuration(
  db: Database,
  {
    file,
    outgoing,
    variables,
    live,
  }: {
    file: ConfigFile
    outgoing: Outgoing
    variables: Record<string, string | undefined>
    /** The configuration that is in effect. */
    live: { current: Config }
  },
): ConfigurationService {
  const names = Object.keys(configFields) as ConfigName[]
  const isSet = (value: unknown) => value !== undefined && value !== null && value !== ''

  async function stored(): Promise<Json> {
    const text = await file.read()
    const parsed: unknown = text === undefined ? {} : JSON.parse(text)
    if (!isObject(parsed)) throw new Error('the configuration file holds no object')
    return parsed
  }

  const defaultOf = (name: ConfigName): unknown => configFields[name].schema.safeParse(undefined).data ?? null
  const shownOf = (name: ConfigName, inFile: Json): unknown => {
    const value = Object.hasOwn(inFile, name) ? inFile[name] : undefined
    if (configFields[name].secret) return isSet(value) ? mask : null
    return value === undefined ? defaultOf(name) : value
  }
  const shown = (inFile: Json): Json => Object.fromEntries(names.map(name => [name, shownOf(name, inFile)]))

  /** The fields that a request really changes. */
  function changesIn(given: Json, inFile: Json): Map<ConfigName, unknown> {
    const changes = new Map<ConfigName, unknown>()
    for (const [name, value] of Object.entries(given)) {
      if (name === 'restart_required') continue
      if (!isConfigName(name)) throw invalid(name, 'there is no such field')
      if (same(value, shownOf(name, inFile))) continue
      const { secret, fileOnly } = configFields[name]
      if (fileOnly) throw forbidden(`${name}: only the file sets it`)
      if (secret && value === mask) throw invalid(name, 'the mask is no value')
      if (namesVariable(value, inFile[name])) throw invalid(name, 'variables are taken from the file only')
      changes.set(name, value)
    }
    return changes
  }

  /** A kept secret must not be sent to an address that somebody else has just set. */
  function refuseKeptSecrets(changes: ReadonlyMap<ConfigName, unknown>, inFile: Json): void {
    for (const name of changes.keys())
      for (const secret of sentTo[name] ?? [])
        if (isSet(inFile[secret]) && !changes.has(secret))
          throw invalid(secret, `must be given again when ${name} changes`)
  }

  async function refusePrivateProvider({ environment, oauth_endpoint }: Config): Promise<void> {
    if (/^(local|development)/.test(environment)) return
    for (const [name, address] of Object.entries(oauth_endpoint))
      if (address && !(await outgoing.isPublic(address)))
        throw invalid(`oauth_endpoint.${name}`, 'is not a public address')
  }

  function parsed(inFile: Json): Config {
    try {
      return parseConfig(inFile, variables).config
    } catch (error) {
      if (error instanceof ConfigError) throw badRequest(error.message, error.field)
      throw error
    }
  }

  async function change(actor: Actor, given: Json, check?: (before: Json) => void): Promise<Json> {
    const before = await stored()
    check?.(shown(before))
    const changes = changesIn(given, before)
    const after: Json = { ...before }
    for (const [name, value] of changes)
      if (value === null) delete after[name]
      else after[name] = value
    const next = parsed(after)
    if (changes.size > 0) {
      refuseKeptSecrets(changes, before)
      if (changes.has('oauth_endpoint')) await refusePrivateProvider(next)
      const of = (from: Json) =>
        Object.fromEntries([...changes.keys()].map(name => [name, shownOf(name, from)]))
      await file.write(`${JSON.stringify(after, null, 2)}\n`, () =>
        db.write(actor, async tx => tx.note('config', 'cms.config.json', of(before), of(after))),
      )
      const atOnce = [...changes.keys()].filter(name => !configFields[name].restart)
      live.current = { ...live.current, ...Object.fromEntries(atOnce.map(name => [name, next[name]])) }
    }
    return {
      ...shown(after),
      restart_required: [...changes.keys()].filter(name => configFields[name].restart),
    }
  }

  // One after another, so that none writes over another's fields.
  const changing = new Semaphore(1)
  return {
    read: async () => shown(await stored()),
    describe: () =>
      names.map(name => {
        const { schema, meaning, secret = false, restart = false, fileOnly = false } = configFields[name]
        const { $schema: _, ...type } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
        return { name, type, default: defaultOf(name), meaning, secret, restart, file_only: fileOnly }
      }),
    update: (actor, given, check) => changing.run(() => change(actor, given, check)),
  }
}
