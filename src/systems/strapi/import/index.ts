import { Notes } from '../../../services/import/notes.js'
import type { ImportedFile, ImportedLocale, ImportedSite, ReadExport } from '../../../services/import/site.js'
import { isObject, memberOf, memberText } from '../../imports.js'
import { documentsOf } from './documents.js'
import { StrapiEntries } from './entries.js'
import { type Entity, type StrapiExport, strapiExport } from './export.js'
import { StrapiLinks } from './links.js'
import { StrapiModel } from './model.js'
import { importedType } from './rules.js'

const localeType = 'plugin::i18n.locale'
const fileType = 'plugin::upload.file'

const ofType = ({ entities }: StrapiExport, type: string): Entity[] =>
  entities.filter(entity => entity.type === type)

function localesOf(site: StrapiExport, model: StrapiModel): ImportedLocale[] {
  const localized = new Set([...model.types].flatMap(([uid, { isLocalized }]) => (isLocalized ? [uid] : [])))
  if (localized.size === 0) return []
  const labels = new Map<string, string>()
  for (const { type, data } of site.entities) {
    const code = memberText(data, type === localeType ? 'code' : 'locale')
    const label = type === localeType ? memberText(data, 'name') : undefined
    if (code !== undefined && (type === localeType || localized.has(type)))
      labels.set(code, label ?? labels.get(code) ?? code)
  }
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
  return ofType(site, fileType).map(({ id, data }) => {
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
  for (const { id, data } of ofType(site, fileType))
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

const roleType = 'plugin::users-permissions.role'
const permissionType = 'plugin::users-permissions.permission'

/** Types that the role Public of Strapi may read; undefined where the export has no roles. */
function publicTypes(site: StrapiExport): ReadonlySet<string> | undefined {
  const roles = ofType(site, roleType).filter(({ data }) => memberOf(data, 'type') === 'public')
  if (roles.length === 0) return undefined
  const ids = new Set(roles.map(({ id }) => id))
  const given = new Set(
    site.links
      .filter(
        ({ left, right }) => left.type === permissionType && right.type === roleType && ids.has(right.ref),
      )
      .map(({ left }) => left.ref),
  )
  const actions = ofType(site, permissionType).filter(({ id }) => given.has(id))
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
  for (const { type, id } of site.entities)
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
export const readStrapi: ReadExport = async (files): Promise<ImportedSite> => {
  const notes = new Notes()
  const site = await strapiExport(files, notes)
  const model = new StrapiModel(site.schemas, notes)
  const locales = localesOf(site, model)
  const standard = locales[0]?.code ?? ''
  const found = documentsOf(site, model, standard, notes)
  const entries = new StrapiEntries({
    model,
    schemas: site.schemas,
    links: new StrapiLinks(site.links, found),
    standard,
    fileOf: fileFinder(site),
    notes,
  })
  for (const document of found.documents) entries.add(document)
  const media = filesOf(site)
  const shown = publicTypes(site)
  noteOthers(site, model, shown, notes)
  const types = [...model.types].map(([uid, type]) => ({
    ...importedType(type, entries.entries, ofType(site, fileType), notes),
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
