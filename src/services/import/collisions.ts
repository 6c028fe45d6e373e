import { importedIds } from './imported-id.js'
import { KnownSources } from './known-sources.js'
import { fieldCollisions, pagesOf } from './load-model.js'
import { Notes } from './notes.js'
import type { ImportServices, ImportSettings } from './settings.js'
import type { SiteRecords } from './site.js'

/** Everything in the site that is in the way of an export. */
export interface Collisions {
  /** Reasons for which the import is refused as a whole. */
  readonly collisions: readonly string[]
  /** Parts that would be left out. */
  readonly notes: readonly string[]
}

/** Compares an export with the model and the addresses that are in the site, and stores nothing. */
export async function collisionsOf(
  services: ImportServices,
  site: SiteRecords,
  { system, hashing }: Pick<ImportSettings, 'system' | 'hashing'>,
): Promise<Collisions> {
  const notes = new Notes()
  const { imports } = services.space
  const sources = await KnownSources.of(imports, system, site, new Notes())
  const ids = importedIds(site, sources, { system, hashing })
  const there = await imports.known(ids.values())
  await pagesOf(services, site, { notes, isKnown: key => there.has(ids.get(key) ?? '') })
  return { collisions: await fieldCollisions(services, site), notes: notes.sentences }
}
