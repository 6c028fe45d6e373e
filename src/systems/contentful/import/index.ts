import { badRequest } from '../../../errors.js'
import { languageTag } from '../../../language-tags.js'
import { Notes } from '../../../services/import/notes.js'
import { type ImportedLocale, type ReadLargeExport, readingInMemory } from '../../../services/import/site.js'
import { importedFiles } from './assets.js'
import { importedEntries, live } from './entries.js'
import { type ContentfulExport, contentfulExport } from './export.js'
import { labelFor } from './fields.js'

type Locale = ContentfulExport['locales'][number]

function ends(from: Locale, locales: ReadonlyMap<string, Locale>): boolean {
  const seen = new Set<string>()
  for (let at: Locale | undefined = from; at; at = locales.get(at.fallbackCode ?? '')) {
    if (seen.has(at.code)) return false
    seen.add(at.code)
  }
  return true
}

function importedLocales(
  { locales: given }: ContentfulExport,
  notes: Notes,
): readonly [ImportedLocale, ...ImportedLocale[]] {
  const usable = given.filter(({ code }) => code.length <= 35 && languageTag.test(code))
  const standard = usable.find(locale => locale.default)
  if (!standard) throw badRequest('locales: the default locale with a valid language code is missing')
  const last = { ...standard, fallbackCode: null }
  const others = usable.filter(
    ({ code }, at) => code !== last.code && usable.findIndex(one => one.code === code) === at,
  )
  const byCode = new Map([last, ...others].map(locale => [locale.code, locale]))
  const imported = (locale: Locale): ImportedLocale => {
    const { code, name, fallbackCode } = locale
    const fallback =
      fallbackCode && byCode.has(fallbackCode) && ends(locale, byCode) ? fallbackCode : undefined
    return { code, label: labelFor(name, code), ...(fallback !== undefined && { fallback }) }
  }
  for (const { code } of given.filter(one => !usable.includes(one)))
    notes.add('Locales with an invalid code are left out', code)
  for (const { code, fallbackCode } of others)
    if (!fallbackCode)
      notes.add('Locales without a fallback show the default locale if a value is missing', code)
  for (const { code, contentDeliveryApi } of others)
    if (!contentDeliveryApi) notes.add('Locales that were disabled for delivery are enabled', code)
  return [imported(last), ...others.map(imported)]
}

/**
 * Reads what `contentful space export` has written: one JSON file, and beside it the files of assets where it was
 * asked to fetch them. What `--delivery-token` has is read too.
 */
export const readLargeContentful: ReadLargeExport = async (files, lists) => {
  const notes = new Notes()
  const { content, folder, unread } = await contentfulExport(files, lists, notes)
  const locales = importedLocales(content, notes)
  const [{ code: defaultLocale }, ...others] = locales
  const assets = live(content.assets, 'assets', notes)
  const found = importedFiles(assets, { folder, names: files.names, defaultLocale }, notes)
  const codes = [defaultLocale, ...others.map(({ code }) => code)] as const
  const { types, entries } = importedEntries(content, {
    ...{ notes, unread, locales: codes, files: found.facts, lists },
  })
  for (const [name, list] of [
    ['Tags', content.tags],
    ['Webhooks', content.webhooks],
    ['Roles', content.roles],
  ] as const)
    for (const _ of list) notes.add(`${name} are left out`)
  return { locales, types, entries, files: found.files, notes: notes.sentences, unread: unread.found }
}

export const readContentful = readingInMemory(readLargeContentful)
