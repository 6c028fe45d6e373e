import { type Config, parseConfig } from '../../config.js'
import { isConfigName, isShared } from '../../config-fields.js'
import type { Reader } from '../../db/reader.js'
import { internalTables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { ConfigError } from '../../errors.js'
import { isFileAddress } from '../../media-folder.js'
import { secretBox } from '../secret-box.js'
import { isStorage, type Json } from './config-changes.js'

const { settings } = internalTables
const sealedPrefix = 'sealed:'

/** Whether a text anywhere in it names a variable: only the file may. */
export const namesVariables = (value: unknown): boolean => JSON.stringify(value)?.includes('${') ?? false

/** The settings in the database. */
export interface StoredSettings {
  readonly values: Json
  /** Fields whose value was encrypted under another `app_secret`. */
  readonly unreadable: readonly string[]
}

/** The settings that requests have changed, by their fields. What no request can set counts as missing. */
export async function readSettings(read: Reader, appSecret: string | undefined): Promise<StoredSettings> {
  const values: Json = {}
  const unreadable: string[] = []
  for (const { name, value } of await read.findAll(settings)) {
    if (!isConfigName(name) || !isShared(name)) continue
    const text = value.startsWith(sealedPrefix)
      ? appSecret && (await secretBox(appSecret).open(value.slice(sealedPrefix.length)))
      : value
    if (!text) {
      unreadable.push(name)
      continue
    }
    const parsed: unknown = JSON.parse(text)
    if (!namesVariables(text) && !(isStorage(name) && isFileAddress(parsed))) values[name] = parsed
  }
  return { values, unreadable }
}

/** @returns a value as the database keeps it */
export const sealedSetting = async (value: unknown, appSecret: string): Promise<string> =>
  sealedPrefix + (await secretBox(appSecret).seal(JSON.stringify(value)))

/** Stores texts of `sealedSetting`, or JSON, by their fields; null removes one. */
export async function storeSettings(tx: Writer, texts: ReadonlyMap<string, string | null>): Promise<void> {
  for (const [name, value] of texts) {
    await tx.deleteInternal(settings, name)
    if (value !== null) await tx.insertInternal(settings, { name, value })
  }
  if (texts.size > 0) tx.noteSettings()
}

/**
 * The configuration of a file, with settings of the database for the fields that it does not name. Settings that do not
 * go with the file are left out, so that a wrong one keeps no service from starting.
 * @throws ConfigError for what the file says
 */
export function configWith(
  { inFile, values }: { inFile: Json; values: Json },
  variables: Record<string, string | undefined>,
): { config: Config; refused: ConfigError[] } {
  const refused: ConfigError[] = []
  for (let left = values; ; )
    try {
      return { config: parseConfig({ ...left, ...inFile }, variables).config, refused }
    } catch (error) {
      if (!(error instanceof ConfigError) || Object.keys(left).length === 0) throw error
      refused.push(error)
      const { [error.field?.split('.')[0] ?? '']: wrong, ...others } = left
      left = wrong === undefined ? {} : others
    }
}

/** A configuration with the settings of a database applied, and how each applied. */
export interface AppliedSettings {
  readonly config: Config
  /** The fields that the database has set. */
  readonly names: readonly string[]
  readonly refused: readonly ConfigError[]
  /** Fields of the database that the file names, and so decides. */
  readonly fixed: readonly string[]
}

/**
 * A configuration with the settings of the database for the fields that its file does not name.
 * @param config as it is read from the file, with what an option of the command line has changed
 */
export function withStoredSettings(
  config: Config,
  stored: { inFile: Json; values: Json },
  variables: Record<string, string | undefined>,
): AppliedSettings {
  const { config: whole, refused } = configWith(stored, variables)
  const isFixed = (name: string) => Object.hasOwn(stored.inFile, name)
  const names = Object.keys(stored.values).filter(name => !isFixed(name))
  const set = Object.fromEntries(names.map(name => [name, whole[name as keyof Config]]))
  return {
    config: names.length === 0 ? config : { ...config, ...set },
    names,
    refused,
    fixed: Object.keys(stored.values).filter(isFixed),
  }
}
