import type { Actor } from '../../actor.js'
import { HttpError } from '../../errors.js'
import type { ConfigurationService } from '../operation/configuration.js'
import type { Imported } from './settings.js'

type Names = Imported['compat']

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
    try {
      await configuration.update(actor, { compat: { ...compat, ...added } })
    } catch (error) {
      // The file has its own names and cannot be written, or a name is not valid here: everything else is stored.
      if (error instanceof HttpError && error.status < 500) return false
      throw error
    }
  }
  return Object.entries(names).every(([type, own]) =>
    Object.entries(own).every(
      ([member, name]) => JSON.stringify(known.get(type)?.[member] ?? name) === JSON.stringify(name),
    ),
  )
}
