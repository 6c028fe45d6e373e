import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { Config } from '../../config.js'
import { type ConfigName, configFields, defaultIn, isShared } from '../../config-fields.js'
import type { Database } from '../../db/database.js'
import { forbidden, invalid } from '../../errors.js'
import type { ConfigFile, Log, Outgoing } from '../../ports.js'
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
import { configWith, namesVariables, readSettings, sealedSetting, storeSettings } from './settings.js'

/** Any subset of the fields; each is checked by its own schema when it is set. */
export const ConfigUpdate = z.record(z.string(), anyJson)

const storageEndpoints = ['bucket_endpoint', 'bucket_admin_endpoint'] as const

interface Needs {
  file: ConfigFile
  outgoing: Outgoing
  variables: Record<string, string | undefined>
  log: Log
  live: { current: Config; settings: Json }
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
    perInstance = false,
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
    per_instance: perInstance,
  }
}

interface Stored {
  readonly inFile: Json
  readonly values: Json
}

/**
 * The configuration through the API. The file names what an operator has decided; what requests set is kept in the
 * database, where all instances see it, unless it is of this instance alone (docs/decisions/079-configuration-by-api.md).
 */
export class ConfigurationService {
  /** Changes run one after another, so that none writes over another's fields. */
  readonly #changing = new Semaphore(1)
  readonly #atStart = new Map<ConfigName, unknown>()

  constructor(
    private readonly db: Database,
    private readonly needs: Needs,
  ) {}

  /** Every field as it is stored, or its default: secrets masked, `${VAR}` texts as they are. */
  async read(): Promise<Json> {
    return this.#shown(configNames, (await this.#current()).values)
  }

  describe(): Json[] {
    return configNames.map(name => describeField(name, this.#environment))
  }

  async setByFile(): Promise<string[]> {
    const inFile = await this.#inFile()
    return configNames.filter(name => isShared(name) && Object.hasOwn(inFile, name))
  }

  isFileWritable(): Promise<boolean> {
    return this.needs.file.isWritable()
  }

  /**
   * Sets some fields, all or none. Changes that need no restart take effect at once, on other instances within half a
   * second. A field that the file names is taken out of it, for the file would win.
   * @returns the configuration as `read` gives it
   * @throws 400 for an invalid configuration, 403 for fields that only the file or an administrator sets, and for those
   * of a file that may not be written
   */
  update(actor: Actor, given: Json, check?: (before: Json) => void): Promise<Json> {
    return this.#changing.run(() => this.#change(actor, given, check))
  }

  /** Takes over settings that another instance has changed. Most changes of others are of something else. */
  follow(): Promise<void> {
    const { live } = this.needs
    return this.#changing.run(async () => {
      const { values } = await readSettings(this.db, live.current.app_secret)
      if (configNames.some(name => !same(live.settings[name], values[name]))) await this.#takeOver()
    })
  }

  async restartRequired(): Promise<string[]> {
    if (this.#atStart.size === 0) return []
    const { values } = await this.#current()
    const stored = { values, environment: this.#environment }
    return [...this.#atStart].flatMap(([name, value]) => (same(valueIn(name, stored), value) ? [] : name))
  }

  get #environment(): string {
    return this.needs.live.current.environment
  }

  #shown(names: Iterable<ConfigName>, values: Json): Json {
    return shownFields(names, { values, environment: this.#environment })
  }

  async #inFile(): Promise<Json> {
    const text = await this.needs.file.read()
    const parsed: unknown = text === undefined ? {} : JSON.parse(text)
    if (!isObject(parsed)) throw new Error('the configuration file must contain a JSON object')
    return parsed
  }

  #current(): Promise<Stored> {
    return this.#changing.run(() => this.#takeOver())
  }

  async #takeOver(): Promise<Stored> {
    const { live, file, variables, log } = this.needs
    const before = live.settings
    const { values: settings } = await readSettings(this.db, live.current.app_secret)
    const named = await this.#inFile()
    let inFile = named
    const changed = configNames.filter(name => !same(before[name], settings[name]))
    const fixed = changed.filter(name => Object.hasOwn(named, name))
    if (fixed.length > 0 && (await file.isWritable())) {
      inFile = without(named, fixed)
      await file.write(fileText(inFile), async () => undefined)
    } else if (fixed.length > 0)
      log.warn(
        { fields: fixed },
        'the configuration file overrides settings that another instance has changed',
      )
    live.settings = settings
    if (changed.length > 0) {
      const free = changed.filter(name => !Object.hasOwn(inFile, name))
      this.#noteRestarts(free, { ...before, ...named })
      this.#apply(free, configWith({ inFile, values: settings }, variables).config)
    }
    return { inFile, values: { ...settings, ...inFile } }
  }

  async #change(actor: Actor, given: Json, check?: (before: Json) => void): Promise<Json> {
    const { inFile, values: before } = await this.#takeOver()
    check?.(this.#shown(configNames, before))
    const stored = { values: before, environment: this.#environment }
    const changes = changesIn(given, stored, await this.needs.access.isAdministrator(actor))
    const after = withChanges(before, changes)
    const next = parsedConfig(after, changes, this.needs)
    if (changes.size > 0) {
      refuseStoredSecrets(changes, before)
      await this.#refusePrivateAddresses(changes, next)
      await this.#write(actor, changes, { inFile, before, after })
      this.#noteRestarts(changes.keys(), before)
      this.#apply(changes.keys(), next)
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

  /** Whether a new value of the field stays in the file: it is of this instance, names a variable, or cannot be sealed. */
  #isOfFile(name: ConfigName, value: unknown): boolean {
    const cannotSeal = configFields[name].secret === true && !this.needs.live.current.app_secret
    return value === null ? !isShared(name) : !isShared(name) || cannotSeal || namesVariables(value)
  }

  /** Rows and file are replaced together with their audit event, or nothing happens. */
  async #write(
    actor: Actor,
    changes: Changes,
    { inFile, before, after }: { inFile: Json; before: Json; after: Json },
  ): Promise<void> {
    const { file, live } = this.needs
    const ofFile = new Map([...changes].filter(([name, value]) => this.#isOfFile(name, value)))
    const ofAll = [...changes].filter(([name]) => !ofFile.has(name))
    const nextFile = withChanges(
      without(
        inFile,
        ofAll.map(([name]) => name),
      ),
      ofFile,
    )
    const changesFile = !same(nextFile, inFile)
    if (changesFile && !(await file.isWritable())) {
      const [name] = [...changes.keys()].filter(name => !same(nextFile[name], inFile[name]))
      throw forbidden(`${name}: is set in the configuration file, which the service cannot write`)
    }
    const { app_secret = '' } = live.current
    const texts = new Map<string, string | null>()
    for (const name of ofFile.keys()) if (isShared(name)) texts.set(name, null)
    for (const [name, value] of ofAll)
      texts.set(
        name,
        value === null
          ? null
          : configFields[name].secret
            ? await sealedSetting(value, app_secret)
            : JSON.stringify(value),
      )
    const [old, fresh] = [this.#shown(changes.keys(), before), this.#shown(changes.keys(), after)]
    const commit = () =>
      this.db.write(actor, async tx => {
        await storeSettings(tx, texts)
        tx.note('config', 'cms.config.json', old, fresh)
      })
    if (changesFile) await file.write(fileText(nextFile), commit)
    else await commit()
    live.settings = withChanges(without(live.settings, [...ofFile.keys()]), new Map(ofAll))
  }

  #noteRestarts(names: Iterable<ConfigName>, before: Json): void {
    const stored = { values: before, environment: this.#environment }
    for (const name of names)
      if (configFields[name].restart && !this.#atStart.has(name))
        this.#atStart.set(name, valueIn(name, stored))
  }

  #apply(names: Iterable<ConfigName>, next: Config): void {
    const { live } = this.needs
    const immediate = [...names].filter(name => !configFields[name].restart)
    live.current = { ...live.current, ...Object.fromEntries(immediate.map(name => [name, next[name]])) }
  }
}

const fileText = (inFile: Json): string => `${JSON.stringify(inFile, null, 2)}\n`

const without = (values: Json, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
