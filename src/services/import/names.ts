import type { Actor } from '../../actor.js'
import { HttpError } from '../../errors.js'
import type { ConfigurationService } from '../operation/configuration.js'
import type { Imported } from './settings.js'

type Names = Imported['compat']

/** Stores settings. @returns false if they are refused */
async function isStored(
  configuration: Pick<ConfigurationService, 'update'>,
  actor: Actor,
  settings: Parameters<ConfigurationService['update']>[1],
): Promise<boolean> {
  try {
    await configuration.update(actor, settings)
    return true
  } catch (error) {
    if (error instanceof HttpError && error.status < 500) return false
    throw error
  }
}

/**
 * Stores the names of an import in `compat` of the configuration. What is there already stays as it is. They belong to
 * the content model, so whoever may import needs no right to the configuration (D-909).
 * @returns whether `compat` has all of them now
 */
export async function storeNames(
  configuration: Pick<ConfigurationService, 'read' | 'update'>,
  actor: Actor,
  names: Names,
): Promise<boolean> {
  const { compat } = (await configuration.read()) as { compat?: Names }
  const known = new Map(Object.entries(compat ?? {}))
  const missing = Object.entries(names).filter(([type, own]) =>
    Object.keys(own).some(member => known.get(type)?.[member] === undefined),
  )
  if (missing.length > 0) {
    const added = Object.fromEntries(missing.map(([type, own]) => [type, { ...own, ...known.get(type) }]))
    // The file has its own names and cannot be written, or a name is not valid here: everything else is stored.
    if (!(await isStored(configuration, actor, { compat: { ...compat, ...added } }))) return false
  }
  return Object.entries(names).every(([type, own]) =>
    Object.entries(own).every(
      ([member, name]) => JSON.stringify(known.get(type)?.[member] ?? name) === JSON.stringify(name),
    ),
  )
}

/**
 * Turns locales on for content in several languages, which nobody could ask for without. A file that says that they are off
 * stays as it is.
 * @returns a sentence about it for people; undefined if they are on
 */
export async function turnLocalesOn(
  configuration: Pick<ConfigurationService, 'read' | 'setByFile' | 'update'>,
  actor: Actor,
): Promise<string | undefined> {
  const byHand = 'The content has several languages: set i18n_enabled to true in the configuration.'
  const { i18n_enabled } = await configuration.read()
  if (i18n_enabled === true) return undefined
  if ((await configuration.setByFile()).includes('i18n_enabled')) return byHand
  if (!(await isStored(configuration, actor, { i18n_enabled: true }))) return byHand
  return 'The content has several languages, so i18n_enabled is true now.'
}
