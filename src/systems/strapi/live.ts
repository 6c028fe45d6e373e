import { badRequest } from '../../errors.js'
import { isObject, type Json, memberOf, memberText, objectsIn } from '../imports.js'
import {
  type Ask,
  earlier,
  isRefusal,
  isUnknownKey,
  type LiveChoices,
  type LiveRecord,
  type LiveRecords,
  madeFiles,
  type OpenLive,
  pagesOf,
} from '../live.js'
import { ownTypes } from './import/export.js'

/** The content API of Strapi 5 or 4 as a source: its documents become an export. */

const pageSize = 100

/** A type, by the name of its list; a single type has one document. */
interface Type {
  readonly plural: string
  readonly uid: string
  readonly singular: string
  readonly isSingle: boolean
  readonly attributes: Readonly<Record<string, Json>> | undefined
}

interface Locale {
  readonly code: string
  readonly name: string
  readonly isDefault: boolean
}

interface Site {
  readonly base: URL
  readonly types: readonly Type[]
  readonly locales: readonly Locale[]
}

/** Version 4 wraps documents: their members are in `attributes`. */
function flat(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(flat)
  if (!isObject(value)) return value
  const keys = Object.keys(value)
  if (keys.length <= 2 && 'data' in value && keys.every(key => key === 'data' || key === 'meta'))
    return flat(value.data)
  const { attributes, ...others } = value
  const own = isObject(attributes) && 'id' in value ? { ...others, ...attributes } : value
  return Object.fromEntries(Object.entries(own).map(([name, member]) => [name, flat(member)]))
}

const isFile = (value: unknown): value is Json =>
  isObject(value) && typeof value.url === 'string' && typeof value.mime === 'string' && 'id' in value
const documentIn = (value: unknown): string | undefined =>
  isFile(value) || !isObject(value) || '__component' in value ? undefined : memberText(value, 'documentId')
const isBlock = (value: unknown): boolean =>
  isObject(value) && typeof value.type === 'string' && Array.isArray(value.children)
const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z$/.test(text)
const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text)
const maxLine = 255

const ofStrapi: ReadonlySet<string> = new Set(
  [
    'id',
    'documentId',
    'createdAt',
    'updatedAt',
    'publishedAt',
    'locale',
    'localizations',
    'createdBy',
  ].concat('updatedBy'),
)

/** Members of documents that have the documents they are parts of; version 4 knows them by their numbers. */
const refOf = (one: Json): string => memberText(one, 'documentId') ?? `n${String(one.id)}`

function kindOfPlain(name: string, value: unknown): string {
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'decimal'
  const text = String(value)
  if (isTime(text)) return 'datetime'
  if (isDate(text)) return 'date'
  if (name === 'slug') return 'uid'
  return text.length > maxLine || text.includes('\n') ? 'text' : 'string'
}

/** Guesses the attributes of a type from the values of its documents. */
class Guessed {
  private readonly kinds = new Map<string, Set<string>>()
  private readonly targets = new Map<string, Set<string>>()

  constructor(private readonly typeOf: (document: string) => string | undefined) {}

  add(document: Json): void {
    for (const [name, value] of Object.entries(document))
      if (!ofStrapi.has(name)) {
        const kinds = this.kinds.get(name) ?? new Set()
        this.kinds.set(name, kinds)
        const kind = this.kindOf(name, value)
        if (kind !== undefined) kinds.add(kind)
      }
  }

  get attributes(): Record<string, Json> {
    return Object.fromEntries(
      [...this.kinds].flatMap(([name, kinds]) => {
        const attribute = this.attributeOf(name, kinds)
        return attribute ? [[name, attribute]] : []
      }),
    )
  }

  /** Undefined for a value that says nothing. */
  private kindOf(name: string, value: unknown): string | undefined {
    const list = Array.isArray(value) ? value : [value]
    if (list.length === 0 || value === null || value === undefined) return undefined
    if (typeof value !== 'object') return kindOfPlain(name, value)
    const many = Array.isArray(value) ? '[]' : ''
    if (list.every(isFile)) return `media${many}`
    const documents = list.flatMap(one => documentIn(one) ?? [])
    if (documents.length === list.length) return this.relation(name, documents, many)
    return many !== '' && list.every(isBlock) ? 'blocks' : 'json'
  }

  private relation(name: string, documents: readonly string[], many: string): string {
    const known = this.targets.get(name) ?? new Set()
    this.targets.set(name, known)
    for (const document of documents) {
      const type = this.typeOf(document)
      if (type !== undefined) known.add(type)
    }
    return `relation${many}`
  }

  private attributeOf(name: string, kinds: ReadonlySet<string>): Json | undefined {
    const has = (kind: string) => kinds.has(kind) || kinds.has(`${kind}[]`)
    if (has('relation')) {
      const [target] = this.targets.get(name) ?? []
      const relation = kinds.has('relation[]') ? 'oneToMany' : 'oneToOne'
      return target === undefined ? undefined : { type: 'relation', relation, target }
    }
    if (has('media')) return { type: 'media', multiple: kinds.has('media[]') }
    const [kind, ...others] = kinds
    if (kind === undefined) return undefined
    if (others.length === 0) return { type: kind }
    const all = [...kinds]
    if (all.every(one => one === 'integer' || one === 'decimal')) return { type: 'decimal' }
    const texts = ['string', 'text', 'uid', 'date', 'datetime']
    return { type: all.every(one => texts.includes(one)) ? 'text' : 'json' }
  }
}

/**
 * Components are JSON: the API does not say which of them are the same in two versions. Each side of a relation has its
 * own targets: the API shows them on both.
 */
function plain({ mappedBy: _, inversedBy: _other, morphBy: _third, ...attribute }: Json): Json {
  const isPart = attribute.type === 'component' || attribute.type === 'dynamiczone'
  return isPart ? { type: 'json' } : attribute
}

class Export {
  private readonly types = new Map<string, string>()
  private readonly attributes = new Map<string, Record<string, Json>>()
  private readonly rows = new Map<string, string>()

  constructor(
    private readonly records: LiveRecords,
    private readonly site: Site,
  ) {
    for (const { plural, uid } of site.types)
      for (const one of records.in(plural)) {
        this.types.set(refOf(one), uid)
        // A relation names a document, which has several rows; any of them stands for it.
        this.rows.set(refOf(one), rowId(one))
      }
    for (const { plural, uid, attributes } of site.types)
      this.attributes.set(uid, attributes ?? this.guess(plural))
  }

  files() {
    return madeFiles({
      'schemas/schemas_1.jsonl': () => this.schemas(),
      'configuration/configuration_1.jsonl': () => this.configuration(),
      'entities/entities_1.jsonl': () => this.entities(),
      'links/links_1.jsonl': () => this.links(),
    })
  }

  private guess(plural: string): Record<string, Json> {
    const guessed = new Guessed(document => this.types.get(document))
    for (const one of this.records.in(plural)) guessed.add(one)
    return guessed.attributes
  }

  private get isLocalized(): boolean {
    return this.site.locales.length > 1
  }

  private *schemas(): Generator<string> {
    const i18n = this.isLocalized ? { pluginOptions: { i18n: { localized: true } } } : {}
    for (const { plural, uid, singular, isSingle } of this.site.types) {
      const attributes = Object.entries(this.attributes.get(uid) ?? {}).map(([name, one]) => [
        name,
        { ...i18n, ...plain(one) },
      ])
      yield JSON.stringify({
        ...{ uid, modelType: 'contentType', kind: isSingle ? 'singleType' : 'collectionType' },
        info: { singularName: singular, pluralName: plural },
        ...{ options: { draftAndPublish: true }, ...i18n, attributes: Object.fromEntries(attributes) },
      })
    }
  }

  private *configuration(): Generator<string> {
    const standard = this.site.locales.find(({ isDefault }) => isDefault)
    if (standard)
      yield JSON.stringify({
        type: 'core-store',
        value: { key: 'plugin_i18n_default_locale', value: standard.code },
      })
  }

  /** Each document with its type and the attributes of that. */
  private *documents(): Generator<{ uid: string; one: Json; attributes: Readonly<Record<string, Json>> }> {
    for (const { plural, uid } of this.site.types)
      for (const one of this.records.in(plural))
        yield { uid, one, attributes: this.attributes.get(uid) ?? {} }
  }

  private *entities(): Generator<string> {
    if (this.isLocalized)
      for (const { code, name } of this.site.locales)
        yield JSON.stringify({ type: ownTypes.locale, id: code, data: { code, name } })
    for (const { uid, one, attributes } of this.documents()) {
      const isPlain = (name: string) => !['media', 'relation'].includes(String(attributes[name]?.type))
      const data = Object.fromEntries(Object.entries(one).filter(([name]) => isPlain(name)))
      yield JSON.stringify({ type: uid, id: rowId(one), data })
    }
    const { base } = this.site
    for (const [id, file] of this.filesById()) {
      const url = memberText(file, 'url') ?? ''
      const data = { ...file, ...(URL.canParse(url, base) ? { url: new URL(url, base).href } : {}) }
      yield JSON.stringify({ type: ownTypes.file, id, data })
    }
  }

  /** The files of the library, and those that documents show. */
  private filesById(): Map<string, Json> {
    const files = new Map<string, Json>()
    for (const file of this.records.in('upload/files')) files.set(String(file.id), file)
    for (const { one, attributes } of this.documents())
      for (const [name, { type }] of Object.entries(attributes))
        if (type === 'media')
          for (const file of [one[name]].flat().filter(isFile)) files.set(String(file.id), file)
    return files
  }

  private *links(): Generator<string> {
    for (const { uid, one, attributes } of this.documents())
      for (const [field, { type }] of Object.entries(attributes)) {
        const targets = [one[field]].flat().filter(isObject)
        for (const [pos, target] of targets.entries()) {
          const link = this.link(String(type), target, { type: uid, ref: rowId(one), field, pos })
          if (link) yield JSON.stringify(link)
        }
      }
  }

  private link(kind: string, target: Json, owner: Json): Json | undefined {
    if (kind === 'media') {
      const left = { type: ownTypes.file, ref: String(target.id), field: 'related' }
      return { kind: 'relation.morph', left, right: owner }
    }
    const [type, ref] = [this.types.get(refOf(target)), this.rows.get(refOf(target))]
    if (kind !== 'relation' || type === undefined || ref === undefined) return undefined
    return { kind: 'relation.basic', left: owner, right: { type, ref } }
  }
}

/** Rows of a document differ by their locale and their state. The number of a published one is its own. */
function rowId(one: Json): string {
  const isDraft = one.publishedAt === null
  return `${String(one.id)}${memberText(one, '_row') ?? ''}${isDraft ? '-draft' : ''}`
}

class StrapiLive {
  constructor(
    private readonly ask: Ask,
    private readonly site: Site,
    private readonly hasKey: boolean,
    readonly notes: string[],
  ) {}

  async *records(since: string | undefined): AsyncGenerator<LiveRecord> {
    const after = since === undefined ? '' : `&filters[updatedAt][$gte]=${encodeURIComponent(earlier(since))}`
    for (const type of this.site.types)
      for (const status of this.hasKey ? ['published', 'draft'] : ['published'])
        for (const locale of this.site.locales.length > 1 ? this.site.locales : [undefined])
          yield* this.documents(type, `&status=${status}${after}`, locale)
    yield* this.uploads(after)
  }

  changedAt({ record }: LiveRecord): string | undefined {
    return memberText(record, 'updatedAt')
  }

  files(records: LiveRecords) {
    return new Export(records, this.site).files()
  }

  private async *documents(
    { plural, isSingle }: Type,
    more: string,
    locale: Locale | undefined,
  ): AsyncGenerator<LiveRecord> {
    const isDraft = more.includes('status=draft')
    const of = locale ? `&locale=${encodeURIComponent(locale.code)}` : ''
    const page = async (number: number): Promise<Json[]> => {
      const path = `/${plural}?populate=*${isSingle ? '' : `&sort=createdAt&pagination[page]=${number}&pagination[pageSize]=${pageSize}`}${more}${of}`
      const data = flat(memberOf(await this.ask(path), 'data'))
      return [data].flat().filter(isObject)
    }
    const idOf = (one: Json) =>
      `${refOf(one)} ${locale?.code ?? ''}${one.publishedAt === null ? ' draft' : ''}`
    const size = isSingle ? Number.POSITIVE_INFINITY : pageSize
    for await (const one of pagesOf(plural, size, page, idOf)) {
      // A list of drafts may have published documents too, which the other list has as readers see them.
      if (isDraft && one.publishedAt !== null) continue
      const isOther = locale !== undefined && !locale.isDefault
      // Where a list has documents of another language too, it shows what stands in for them.
      if (isOther && memberText(one, 'locale') !== locale.code) continue
      const row = isOther ? { _row: `-${locale.code}` } : {}
      yield { list: plural, id: idOf(one), record: { ...one, ...row } }
    }
  }

  private async *uploads(after: string): AsyncGenerator<LiveRecord> {
    try {
      const page = async (number: number): Promise<Json[]> => {
        if (number > 1) return []
        const found = await this.ask(`/upload/files?${after.slice(1)}`)
        return (Array.isArray(found) ? found : objectsIn(found, 'results')).map(flat).filter(isObject)
      }
      const size = Number.POSITIVE_INFINITY
      for await (const one of pagesOf('upload/files', size, page, file => String(file.id)))
        yield { list: 'upload/files', id: String(one.id), record: one }
    } catch (error) {
      // Files that documents show are in the documents.
      if (!isRefusal(error)) throw error
    }
  }
}

/** The types, as the API describes them to a key that may read them. */
async function describedTypes(ask: Ask, hasKey: boolean): Promise<readonly Type[] | undefined> {
  try {
    const found = objectsIn(await ask('/content-type-builder/content-types'), 'data')
    return found.flatMap(one => {
      const [uid, schema] = [memberText(one, 'uid'), one.schema]
      const [singular, plural] = [memberText(schema, 'singularName'), memberText(schema, 'pluralName')]
      if (uid === undefined || !uid.startsWith('api::') || !singular || !plural) return []
      const isSingle = memberText(schema, 'kind') === 'singleType'
      const own = memberOf(schema, 'attributes')
      const attributes = isObject(own) ? (own as Record<string, Json>) : undefined
      return [{ uid, singular, plural: isSingle ? singular : plural, isSingle, attributes }]
    })
  } catch (error) {
    if (!isRefusal(error) || (hasKey && isUnknownKey(error))) throw error
    return undefined
  }
}

/** A guess at the singular of a list's name, for a type that nobody describes. */
const singularOf = (plural: string): string =>
  plural.endsWith('ies') ? `${plural.slice(0, -3)}y` : plural.replace(/(?<=[sx]|ch|sh)es$|s$/, '')

async function typesOf(ask: Ask, { types, hasKey }: LiveChoices, notes: string[]): Promise<readonly Type[]> {
  const described = await describedTypes(ask, hasKey)
  if (described && described.length > 0)
    return types.length === 0 ? described : described.filter(({ plural }) => types.includes(plural))
  if (types.length === 0)
    throw badRequest(
      'Strapi does not describe its types to this key: add them, such as --types articles,authors',
    )
  notes.push('Strapi does not describe its types to this key: fields are guessed from their values.')
  return types.map(plural => {
    const singular = singularOf(plural)
    return { plural, uid: `api::${singular}.${singular}`, singular, isSingle: false, attributes: undefined }
  })
}

async function localesOf(ask: Ask): Promise<readonly Locale[]> {
  try {
    const found = await ask('/i18n/locales')
    const all = (Array.isArray(found) ? found : []).flatMap(one => {
      const code = memberText(one, 'code')
      const isDefault = memberOf(one, 'isDefault') === true
      return code === undefined ? [] : [{ code, name: memberText(one, 'name') ?? code, isDefault }]
    })
    return [...all.filter(one => one.isDefault), ...all.filter(one => !one.isDefault)]
  } catch (error) {
    if (!isRefusal(error)) throw error
    return []
  }
}

/** Opens the API at its root, such as `https://old.example/api`. */
export const openStrapi: OpenLive = async (ask, choices) => {
  const notes = ['Components and dynamic zones are JSON.']
  const types = await typesOf(ask, choices, notes)
  if (!choices.hasKey) notes.push('Without a key only published documents are imported.')
  const site = { base: choices.base, types, locales: await localesOf(ask) }
  return new StrapiLive(ask, site, choices.hasKey, notes)
}
