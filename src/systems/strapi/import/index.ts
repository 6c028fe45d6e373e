import { Notes } from '../../../services/import/notes.js'
import { recordAt } from '../../../services/import/records.js'
import {
  type ImportedFile,
  type ImportedLocale,
  type ReadLargeExport,
  readingInMemory,
} from '../../../services/import/site.js'
import { isObject, memberOf, memberText } from '../../imports.js'
import { documentsOf } from './documents.js'
import { StrapiEntries } from './entries.js'
import { ownTypes, type StrapiExport, strapiExport } from './export.js'
import { StrapiLinks } from './links.js'
import { StrapiModel } from './model.js'
import { importedTypes } from './rules.js'

function localesOf(site: StrapiExport, model: StrapiModel): ImportedLocale[] {
  const localized = new Set([...model.types].flatMap(([uid, { isLocalized }]) => (isLocalized ? [uid] : [])))
  if (localized.size === 0) return []
  const labels = new Map<string, string>()
  for (const { type, code, name } of site.locales)
    if (type === ownTypes.locale || localized.has(type)) labels.set(code, name ?? labels.get(code) ?? code)
  const found = [...labels].map(([code, label]) => ({ code, label }))
  const isDefault = ({ code }: ImportedLocale) => code === site.defaultLocale
  return [...found.filter(isDefault), ...found.filter(one => !isDefault(one))]
}

function focusOf(point: unknown): ImportedFile['focus'] {
  if (!isObject(point)) return undefined
  const [x, y] = [memberOf(point, 'x'), memberOf(point, 'y')]
  const isPercent = (at: unknown): at is number => typeof at === 'number' && at >= 0 && at <= 100
  return isPercent(x) && isPercent(y) ? { x: x / 100, y: y / 100 } : undefined
}

function filesOf(site: StrapiExport): ImportedFile[] {
  return Array.from(site.own.file, ({ id, data }) => {
    const text = (name: string) => memberText(data, name)
    const stored = `assets/uploads/${text('hash') ?? ''}${text('ext') ?? ''}`
    const url = text('url')
    const name = text('name') ?? stored.slice(stored.lastIndexOf('/') + 1)
    const focus = focusOf(memberOf(data, 'focalPoint'))
    const place = site.names.has(stored) ? { at: stored } : { url }
    const texts = { name, alt: text('alternativeText'), caption: text('caption') }
    const documentId = text('documentId')
    const ids = [
      ...(documentId === undefined ? [] : [{ kind: 'document', id: documentId }]),
      { kind: 'file', id },
    ]
    return { key: id, ids, ...texts, ...place, ...(focus ? { focus } : {}) }
  })
}

function fileFinder(site: StrapiExport): (addressOrHash: string) => string | undefined {
  const keys = new Map<string, string>()
  for (const { id, data } of site.own.file)
    for (const name of ['hash', 'url']) {
      const text = memberText(data, name)
      if (text !== undefined) keys.set(text, id)
    }
  return addressOrHash => keys.get(addressOrHash)
}

const isOther = (type: string): boolean =>
  type.startsWith('plugin::') &&
  !/^plugin::(?:upload|i18n|content-releases|review-workflows)\.|\.(?:role|permission)$/.test(type)

const isOfApi = (uid: string): boolean => uid.startsWith('api::')

/** Types that the role Public of Strapi may read; undefined where the export has no roles. */
function publicTypes(site: StrapiExport): ReadonlySet<string> | undefined {
  const { role, permission } = site.own
  const ids = new Set(
    Array.from(role, ({ id, data }) => (memberOf(data, 'type') === 'public' ? [id] : [])).flat(),
  )
  if (ids.size === 0) return undefined
  const given = new Set<string>()
  for (const { left, right } of site.links)
    if (left.type === ownTypes.permission && right.type === ownTypes.role && ids.has(right.ref))
      given.add(left.ref)
  const actions = [...permission].filter(({ id }) => given.has(id))
  return new Set(
    actions.flatMap(({ data }) => /^(.+)\.find(?:One)?$/.exec(memberText(data, 'action') ?? '')?.[1] ?? []),
  )
}

function noteOthers(
  site: StrapiExport,
  model: StrapiModel,
  shown: ReadonlySet<string> | undefined,
  notes: Notes,
): void {
  const isStrange = (type: string) => (isOfApi(type) ? !model.types.has(type) : isOther(type))
  // A large export is read once more only where something is to be said about its rows.
  for (const { type, id } of [...site.types].some(isStrange) ? site.entities : [])
    if (isOfApi(type) && !model.types.has(type))
      site.unread.add(`entities: ${type} ${id}`, 'the export has no schema of its type')
    else if (isOther(type)) notes.add('Accounts of visitors and data of plugins are left out', type)
  for (const [uid, { name }] of model.types)
    if (shown && isOfApi(uid) && !shown.has(uid))
      notes.add('Types that were not public in Strapi need an API key', name)
  for (const { name, fields } of model.types.values())
    for (const { attributeName, attribute, taking } of fields)
      if (attribute.type === 'richtext' && taking === 'plain')
        notes.add(
          'Markdown stays unchanged, and so do the addresses of files in it',
          `${name}.${attributeName}`,
        )
}

/** Reads an export of Strapi 5 or 4 that was made by `strapi export --no-encrypt`. */
export const readLargeStrapi: ReadLargeExport = async (files, lists) => {
  const notes = new Notes()
  const site = await strapiExport(files, lists, notes)
  const model = new StrapiModel(site.schemas, notes)
  const locales = localesOf(site, model)
  const standard = locales[0]?.code ?? ''
  const found = documentsOf(site, model, standard, { lists, notes })
  const entries = new StrapiEntries({
    model,
    schemas: site.schemas,
    links: new StrapiLinks(site.links, found),
    standard,
    fileOf: fileFinder(site),
    entries: lists.make(),
    notes,
  })
  for (const document of found.documents) entries.add(document)
  const media = filesOf(site)
  const shown = publicTypes(site)
  noteOthers(site, model, shown, notes)
  const mimes = new Map(Array.from(site.own.file, ({ id, data }) => [id, String(memberOf(data, 'mime'))]))
  const read = importedTypes([...model.types.values()], entries.entries, mimes, notes)
  const types = [...model.types.keys()].map((uid, i) => ({
    ...recordAt(read, i),
    // Components were read within other entries only.
    isPublic: isOfApi(uid) ? shown?.has(uid) : false,
  }))
  return {
    locales,
    types,
    entries: entries.entries,
    files: media,
    notes: [
      ...notes.sentences,
      'Accounts, roles, permissions, keys, webhooks and settings of Strapi are left out.',
    ],
    unread: site.unread.found,
  }
}

export const readStrapi = readingInMemory(readLargeStrapi)
