import type { Actor } from '../../actor.js'
import { badRequest } from '../../errors.js'
import { FileStates } from './file-states.js'
import { importedIds } from './imported-id.js'
import { KnownSources } from './known-sources.js'
import { EntryLoader } from './load-entries.js'
import { loadFiles } from './load-files.js'
import { loadModel } from './load-model.js'
import { Losses } from './losses.js'
import { storeNames, turnLocalesOn } from './names.js'
import { Notes } from './notes.js'
import { redirectOld } from './old-addresses.js'
import { reportOn } from './report.js'
import type { Imported, ImportServices, ImportSettings } from './settings.js'
import type { ImportedEntry, SiteRecords } from './site.js'
import { Sources } from './states.js'
import { withChildren } from './values.js'

/**
 * Stores an export: files, the content model, then entries, with those that others refer to first. It may be repeated,
 * also after it was interrupted: records that are here stay as they are, unless `update` is given. A value that its field refuses is left out,
 * and an entry that breaks the rules of published ones becomes a draft; both are noted.
 * @throws 400 for a model that conflicts with the one that is here, 503 without the store
 */
export async function loadSite(
  services: ImportServices,
  actor: Actor,
  site: SiteRecords,
  settings: ImportSettings,
): Promise<Imported> {
  refuseTwice(site.entries)
  const notes = new Notes()
  const { system, hashing } = settings
  const { imports } = services.space
  const sources = await KnownSources.of(imports, system, site, notes)
  const keepsIds = settings.update !== undefined
  const ids = importedIds(site, sources, { system, hashing, keepsIds })
  const there = await imports.known(ids.values())
  const isKnown = (key: string) => there.has(ids.get(key) ?? '')
  const model = await loadModel(services, actor, site, { ...settings, notes, isKnown })
  const states = new Sources(hashing, system, settings.source ?? null)
  const stored = await FileStates.of(services, states, site.files, hashing)
  const isUpdate = settings.update !== undefined
  const known = isUpdate ? stored : undefined
  const files = await loadFiles(services.media, actor, site.files, { ...settings, notes, known })
  await stored.keep(actor, files.byKey, isUpdate)
  await sources.keepFiles(actor, site.files, files.byKey)
  const losses = new Losses(notes)
  const left = stored.leftFiles
  const own = { ...settings, notes, losses, model, files, left, ids, isKnown, sources, states }
  const entries = await new EntryLoader(services, actor, site.entries, own).load()
  const idHere = (key: string) => (isKnown(key) ? ids.get(key) : undefined)
  if (isUpdate) await sources.dropFormer(actor, site.entries, idHere)
  await sources.keepEntries(actor, site.entries, idHere)
  const moved = { site, ids, losses, files, isKnown }
  const { redirects: isOn = false, oldAddress } = settings
  const redirects =
    isOn || oldAddress ? await redirectOld(services, actor, moved, { notes, isOn, oldAddress }) : 0
  const compat = Object.fromEntries(
    site.types.flatMap(({ name, compat }) => (compat ? [[name, compat]] : [])),
  )
  const compat_stored = await storeNames(services.configuration, actor, compat)
  const told = site.locales.length > 1 ? await turnLocalesOn(services.configuration, actor) : undefined
  const verified = await verifiedBy(compat)
  return {
    ...{ datatypes: model.made.datatypes, fields: model.made.fields, files: files.made },
    ...entries,
    left_out: (site.unread?.count ?? 0) + losses.leftOut,
    redirects,
    ...(verified ? { verified } : {}),
    notes: [...site.notes, ...notes.sentences, ...(told === undefined ? [] : [told])],
    ...{ compat, compat_stored },
  }

  /** Reads everything back through the root, where somebody wants to know. */
  async function verifiedBy(names: Imported['compat']): Promise<Imported['verified']> {
    if (!settings.report && !settings.root) return undefined
    const root = await settings.root?.(names)
    try {
      return await reportOn(imports, moved, { ...settings, root })
    } finally {
      await root?.close()
    }
  }
}

function refuseTwice(entries: Iterable<ImportedEntry>): void {
  const seen = new Set<string>()
  for (const entry of entries)
    for (const { key } of withChildren(entry)) {
      if (seen.has(key)) throw badRequest(`the export has two entries with the name ${key}`)
      seen.add(key)
    }
}
