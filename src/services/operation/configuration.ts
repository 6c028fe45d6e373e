import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { Config } from '../../config.js'
import { type ConfigName, configFields } from '../../config-fields.js'
import type { Database } from '../../db/database.js'
import { invalid } from '../../errors.js'
import type { ConfigFile, Outgoing } from '../../ports.js'
import { Semaphore } from '../../semaphore.js'
import {
  type Changes,
  changesIn,
  configNames,
  defaultOf,
  isObject,
  type Json,
  parsedConfig,
  refuseStoredSecrets,
  shownFields,
  withChanges,
} from './config-changes.js'

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
   * @throws 400 for what is no valid configuration, 403 for what only the file or an administrator sets
   */
  update(actor: Actor, given: Json, check?: (before: Json) => void): Promise<Json>
}

interface Needs {
  file: ConfigFile
  outgoing: Outgoing
  variables: Record<string, string | undefined>
  /** The configuration that is in effect. */
  live: { current: Config }
  isAdministrator: (actor: Actor) => Promise<boolean>
}

function describeField(name: ConfigName): Json {
  const {
    schema,
    meaning,
    secret = false,
    restart = false,
    fileOnly = false,
    administrator = false,
  } = configFields[name]
  const { $schema: _, ...type } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return {
    name,
    type,
    default: defaultOf(name),
    meaning,
    secret,
    restart,
    file_only: fileOnly,
    administrator_only: administrator,
  }
}

/** The configuration file through the API. */
class Configuration implements ConfigurationService {
  /** Changes run one after another, so that none writes over another's fields. */
  readonly #changing = new Semaphore(1)

  constructor(
    private readonly db: Database,
    private readonly needs: Needs,
  ) {}

  async read(): Promise<Json> {
    return shownFields(configNames, await this.#stored())
  }

  describe(): Json[] {
    return configNames.map(describeField)
  }

  update(actor: Actor, given: Json, check?: (before: Json) => void): Promise<Json> {
    return this.#changing.run(() => this.#change(actor, given, check))
  }

  async #stored(): Promise<Json> {
    const text = await this.needs.file.read()
    const parsed: unknown = text === undefined ? {} : JSON.parse(text)
    if (!isObject(parsed)) throw new Error('the configuration file holds no object')
    return parsed
  }

  async #change(actor: Actor, given: Json, check?: (before: Json) => void): Promise<Json> {
    const before = await this.#stored()
    check?.(shownFields(configNames, before))
    const changes = changesIn(given, before, await this.needs.isAdministrator(actor))
    const after = withChanges(before, changes)
    const next = parsedConfig(after, this.needs.variables)
    if (changes.size > 0) {
      refuseStoredSecrets(changes, before)
      if (changes.has('oauth_endpoint')) await this.#refusePrivateProvider(next)
      await this.#write(actor, changes, before, after)
      this.#apply(changes, next)
    }
    return {
      ...shownFields(configNames, after),
      restart_required: [...changes.keys()].filter(name => configFields[name].restart),
    }
  }

  async #refusePrivateProvider({ environment, oauth_endpoint }: Config): Promise<void> {
    if (/^(local|development)/.test(environment)) return
    for (const [name, address] of Object.entries(oauth_endpoint))
      if (address && !(await this.needs.outgoing.isPublic(address)))
        throw invalid(`oauth_endpoint.${name}`, 'is not a public address')
  }

  /** The file is replaced together with its audit event, or neither happens. */
  async #write(actor: Actor, changes: Changes, before: Json, after: Json): Promise<void> {
    const [old, fresh] = [shownFields(changes.keys(), before), shownFields(changes.keys(), after)]
    await this.needs.file.write(`${JSON.stringify(after, null, 2)}\n`, () =>
      this.db.write(actor, async tx => tx.note('config', 'cms.config.json', old, fresh)),
    )
  }

  /** What needs no restart takes effect. */
  #apply(changes: Changes, next: Config): void {
    const { live } = this.needs
    const immediate = [...changes.keys()].filter(name => !configFields[name].restart)
    live.current = { ...live.current, ...Object.fromEntries(immediate.map(name => [name, next[name]])) }
  }
}

export const configuration = (db: Database, needs: Needs): ConfigurationService =>
  new Configuration(db, needs)
