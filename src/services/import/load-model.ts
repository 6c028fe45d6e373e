import type { Actor } from '../../actor.js'
import { badRequest, HttpError } from '../../errors.js'
import type { Services } from '../index.js'
import { slug } from '../text.js'
import type { Notes } from './notes.js'
import type { ImportedField, ImportedSite, ImportedType, SiteRecords } from './site.js'
import { withChildren } from './values.js'

interface ModelType {
  readonly datatype_id: string
  readonly needsPage: boolean
  readonly fields: ReadonlyMap<string, ImportedField>
}

/** The content model of an export, as it is here now. */
export interface Model {
  readonly types: ReadonlyMap<string, ModelType>
  readonly pages: ReadonlyMap<string, { readonly slug: string; readonly title: string }>
  readonly made: { readonly datatypes: number; readonly fields: number }
}

interface ModelServices {
  readonly locales: Services['locales']
  readonly space: Pick<Services['space'], 'datatypes' | 'fields' | 'routes'>
}

interface Settings {
  readonly notes: Notes
  readonly isPublic: boolean
  /** Undefined where files are left out; then no field needs one. */
  readonly open: unknown
  isKnown(key: string): boolean
}

async function all<T>(lists: AsyncIterable<readonly T[]>): Promise<T[]> {
  const found: T[] = []
  for await (const some of lists) found.push(...some)
  return found
}

/** Makes missing locales, datatypes and fields. @throws 400 if a field of the same name has another type */
export async function loadModel(
  services: ModelServices,
  actor: Actor,
  site: SiteRecords,
  settings: Settings,
): Promise<Model> {
  const { space } = services
  const pages = await pagesOf(services, site, settings)
  const needRoutes = new Set(withRoutes(site, pages))
  const before = new Map((await all(space.datatypes.list({}, {}))).map(row => [row.name, row]))
  const made = { datatypes: 0, fields: 0 }
  const rows = new Map<string, { datatype_id: string; type: string }>()
  for (const { name, label, isPublic = true } of site.types) {
    const type = needRoutes.has(name) ? 'content' : '_global'
    const known = before.get(name)
    const visibility = settings.isPublic && isPublic ? 'public' : 'linked'
    const row = known ?? (await space.datatypes.create(actor, { name, label, type, visibility }))
    if (!known) made.datatypes++
    rows.set(name, row)
  }
  for (const type of site.types)
    made.fields += await loadFields(services, actor, type, {
      parent_id: rows.get(type.name)?.datatype_id ?? '',
      withFiles: settings.open !== undefined,
    })
  await loadLocales(services, actor, site, settings.notes)
  const types = site.types.flatMap(({ name, fields }) => {
    const row = rows.get(name)
    if (!row) return []
    const { datatype_id, type } = row
    const byName = new Map(fields.map(field => [field.name, field]))
    return [[name, { datatype_id, needsPage: type !== '_global', fields: byName }] as const]
  })
  return { types: new Map(types), pages, made }
}

function withRoutes(site: SiteRecords, pages: Model['pages']): string[] {
  const [global, used] = [new Set<string>(), new Set<string>()]
  for (const entry of site.entries) {
    if (!pages.has(entry.key)) global.add(entry.type)
    for (const { type } of withChildren(entry)) used.add(type)
  }
  return site.types.map(({ name }) => name).filter(name => used.has(name) && !global.has(name))
}

const collision = (datatype: string, { name, type }: ImportedField, known: string) =>
  `the field ${datatype}.${name} already exists with the type ${known}, but the import has the type ${type}`

/** Returns the fields that are in the site with another type. */
export async function fieldCollisions(
  { space }: Pick<ModelServices, 'space'>,
  { types }: Pick<ImportedSite, 'types'>,
): Promise<string[]> {
  const datatypes = new Map((await all(space.datatypes.list({}, {}))).map(row => [row.name, row.datatype_id]))
  const found: string[] = []
  for (const { name: datatype, fields } of types) {
    const parent_id = datatypes.get(datatype)
    if (parent_id === undefined) continue
    const known = new Map(
      (await all(space.fields.list({ parent_id }, {}))).map(row => [row.name, row.field_type]),
    )
    for (const field of fields) {
      const type = known.get(field.name)
      if (type !== undefined && type !== field.type) found.push(collision(datatype, field, type))
    }
  }
  return found
}

/** @returns how many fields were made */
async function loadFields(
  { space }: ModelServices,
  actor: Actor,
  { name: datatype, fields }: ImportedType,
  { parent_id, withFiles }: { parent_id: string; withFiles: boolean },
): Promise<number> {
  const before = new Map((await all(space.fields.list({ parent_id }, {}))).map(row => [row.name, row]))
  let made = 0
  for (const [i, field] of fields.entries()) {
    const { name, label, type: field_type, data = {}, translatable = false } = field
    const required = field.required === true && (field_type !== 'media' || withFiles)
    const known = before.get(name)
    if (known && known.field_type !== field_type)
      throw badRequest(collision(datatype, field, known.field_type))
    if (known) continue
    const given = { name, label, field_type, data, required, translatable, sort_order: i }
    await space.fields.create(actor, { ...given, parent_id, ui_config: {} })
    made++
  }
  return made
}

/** Returns the pages whose addresses are valid and free here. The others are noted. */
export async function pagesOf(
  { space }: ModelServices,
  site: SiteRecords,
  { notes, isKnown }: Pick<Settings, 'notes' | 'isKnown'>,
): Promise<Model['pages']> {
  const pages = new Map<string, { slug: string; title: string }>()
  const taken = new Set<string>()
  for await (const some of space.routes.list({}, {})) for (const route of some) taken.add(route.slug)
  for (const { key, type, page } of site.entries) {
    if (!page) continue
    const parsed = slug.safeParse(page.path)
    const where = `${type} ${key}: ${page.path}`
    if (!parsed.success) notes.add('Entries have no page, because their address is not valid here', where)
    else if (taken.has(parsed.data) && !isKnown(key))
      notes.add('Entries have no page, because another page has their address', where)
    else {
      taken.add(parsed.data)
      pages.set(key, { slug: parsed.data, title: page.title || parsed.data })
    }
  }
  return pages
}

/** Makes missing locales. The default one of the export may be missing, because its values are without a locale. */
async function loadLocales(
  { locales }: ModelServices,
  actor: Actor,
  { locales: wanted }: Pick<ImportedSite, 'locales'>,
  notes: Notes,
): Promise<void> {
  const there = await all(locales.list({}, {}))
  const codes = new Set(there.map(({ code }) => code))
  const [standard, ...others] = wanted
  const own = there.find(({ is_default }) => is_default)?.code
  if (standard && standard.code !== own && there.length === 1) {
    await locales.create(actor, { ...localeOf(standard), is_default: true })
    codes.add(standard.code)
    await removeUnused(locales, actor, there[0]?.locale_id ?? '')
  } else if (standard && standard.code !== own && others.length > 0)
    notes.add(
      'Default locales differ: values in the default locale of the export apply to every locale',
      standard.code,
    )
  for (const locale of others)
    if (!codes.has(locale.code)) {
      await locales.create(actor, localeOf(locale))
      codes.add(locale.code)
    }
  for (const { code, fallback } of others) {
    const row = (await all(locales.list({ code }, {})))[0]
    if (row && fallback !== undefined && codes.has(fallback) && row.fallback_code !== fallback)
      await locales.update(actor, row.locale_id, { fallback_code: fallback })
  }
}

async function removeUnused(locales: ModelServices['locales'], actor: Actor, id: string): Promise<void> {
  try {
    await locales.remove(actor, id)
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 409) throw error
  }
}

const localeOf = ({ code, label }: ImportedSite['locales'][number]) => ({
  ...{ code, label, is_enabled: true, fallback_code: null, sort_order: 0 },
})
