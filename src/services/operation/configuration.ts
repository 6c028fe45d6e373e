import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { Config } from '../../config.js'
import { type ConfigName, configFields, defaultIn } from '../../config-fields.js'
import type { Database } from '../../db/database.js'
import { invalid } from '../../errors.js'
import type { ConfigFile, Outgoing } from '../../ports.js'
import { Semaphore } from '../../semaphore.js'
import type { AccessService } from '../accounts/access.js'
import { anyJson } from '../body-parts.js'
import {
  type Changes,
  changesIn,
  configNames,
  isObject,
  type Json,
  parsedConfig,
  refuseStoredSecrets,
  same,
  shownFields,
  valueIn,
  withChanges,
} from './config-changes.js'

/** Any subset of the fields; each is checked by its own schema when it is set. */
export const ConfigUpdate = z.record(z.string(), anyJson)

/** Servers that the service calls with keys of its own, beside the OAuth provider. */
const storageEndpoints = ['bucket_endpoint', 'bucket_admin_endpoint'] as const

interface Needs {
  file: ConfigFile
  outgoing: Outgoing
  variables: Record<string, string | undefined>
  /** The configuration that is in effect. */
  live: { current: Config }
  access: Pick<AccessService, 'isAdministrator'>
}

const types = new Map<ConfigName, Json>()
/** The type of a setting. It takes long to be put into words and stays the same. */
function typeOf(name: ConfigName): Json {
  const known = types.get(name)
  if (known) return known
  const { $schema: _, ...type } = z.toJSONSchema(configFields[name].schema, {
    io: 'input',
    unrepresentable: 'any',
  })
  types.set(name, type)
  return type
}

function describeField(name: ConfigName, environment: string): Json {
  const {
    meaning,
    secret = false,
    restart = false,
    fileOnly = false,
    administrator = false,
  } = configFields[name]
  return {
    name,
    type: typeOf(name),
    default: defaultIn(environment, name) ?? null,
    meaning,
    secret,
    restart,
    file_only: fileOnly,
    administrator_only: administrator,
  }
}

/** The configuration file through the API. */
export class ConfigurationService {
  /** Changes run one after another, so that none writes over another's fields. */
  readonly #changing = new Semaphore(1)
  /** Values as the file had them at the start, of the fields that need a restart and have changed since. */
  readonly #atStart = new Map<ConfigName, unknown>()

  constructor(
    private readonly db: Database,
    private readonly needs: Needs,
  ) {}

  /** Every field as the file has it, or its default: secrets masked, `${VAR}` texts as they are. */
  async read(): Promise<Json> {
    return this.#shown(configNames, await this.#stored())
  }

  /** Describes every field: type, default, meaning, and how a change takes effect. */
  describe(): Json[] {
    return configNames.map(name => describeField(name, this.#environment))
  }

  /**
   * Sets some fields, all or none, and writes the file. Changes that need no restart take effect at once.
   * @returns the configuration as `read` gives it
   * @throws 400 for an invalid configuration, 403 for fields that only the file or an administrator sets
   */
  update(actor: Actor, given: Json, check?: (before: Json) => void): Promise<Json> {
    return this.#changing.run(() => this.#change(actor, given, check))
  }

  /** The fields that `update` has changed and that take effect at the next start. */
  async restartRequired(): Promise<string[]> {
    if (this.#atStart.size === 0) return []
    const stored = { inFile: await this.#stored(), environment: this.#environment }
    return [...this.#atStart].flatMap(([name, value]) => (same(valueIn(name, stored), value) ? [] : name))
  }

  get #environment(): string {
    return this.needs.live.current.environment
  }

  #shown(names: Iterable<ConfigName>, inFile: Json): Json {
    return shownFields(names, { inFile, environment: this.#environment })
  }

  async #stored(): Promise<Json> {
    const text = await this.needs.file.read()
    const parsed: unknown = text === undefined ? {} : JSON.parse(text)
    if (!isObject(parsed)) throw new Error('the configuration file holds no object')
    return parsed
  }

  async #change(actor: Actor, given: Json, check?: (before: Json) => void): Promise<Json> {
    const before = await this.#stored()
    check?.(this.#shown(configNames, before))
    const stored = { inFile: before, environment: this.#environment }
    const changes = changesIn(given, stored, await this.needs.access.isAdministrator(actor))
    const after = withChanges(before, changes)
    const next = parsedConfig(after, changes, this.needs)
    if (changes.size > 0) {
      refuseStoredSecrets(changes, before)
      await this.#refusePrivateAddresses(changes, next)
      await this.#write(actor, changes, before, after)
      for (const name of changes.keys())
        if (configFields[name].restart && !this.#atStart.has(name))
          this.#atStart.set(name, valueIn(name, stored))
      this.#apply(changes, next)
    }
    return this.#shown(configNames, after)
  }

  /** The service calls these servers, so whoever changes them could look around in its network. */
  async #refusePrivateAddresses(changes: Changes, next: Config): Promise<void> {
    // Nor does a change of the environment, which takes a restart, lift this at once.
    if ([this.#environment, next.environment].every(name => /^(local|development)/.test(name))) return
    const called: [member: string, address: string | undefined][] = [
      ...Object.entries(changes.has('oauth_endpoint') ? next.oauth_endpoint : {}).map(
        ([name, address]): [string, string | undefined] => [`oauth_endpoint.${name}`, address],
      ),
      ...storageEndpoints
        .filter(name => changes.has(name))
        .map((name): [string, string | undefined] => [name, next[name]]),
    ]
    for (const [member, address] of called) {
      if (!address) continue
      const url = /^https?:\/\//i.test(address) ? address : `https://${address}`
      if (!URL.canParse(url)) throw invalid(member, 'must be an address')
      if (!(await this.needs.outgoing.isPublic(url))) throw invalid(member, 'is not a public address')
    }
  }

  /** The file is replaced together with its audit event, or neither happens. */
  async #write(actor: Actor, changes: Changes, before: Json, after: Json): Promise<void> {
    const [old, fresh] = [this.#shown(changes.keys(), before), this.#shown(changes.keys(), after)]
    await this.needs.file.write(`${JSON.stringify(after, null, 2)}\n`, () =>
      this.db.write(actor, async tx => tx.note('config', 'cms.config.json', old, fresh)),
    )
  }

  /** Applies the changes that need no restart. */
  #apply(changes: Changes, next: Config): void {
    const { live } = this.needs
    const immediate = [...changes.keys()].filter(name => !configFields[name].restart)
    live.current = { ...live.current, ...Object.fromEntries(immediate.map(name => [name, next[name]])) }
  }
}
