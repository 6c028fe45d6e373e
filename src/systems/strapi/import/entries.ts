import type { GrowingRecords } from '../../../ports.js'
import type { SourceId } from '../../../services/content/source-ids.js'
import type { Notes } from '../../../services/import/notes.js'
import type { ImportedEntry, ImportedValue, ImportedValues } from '../../../services/import/site.js'
import { noSize, type Size, sizeOfJson, sizeOfValues, sumOf } from '../../../services/import/size.js'
import { isObject, memberOf, memberText as textIn } from '../../imports.js'
import { BlocksHtml } from './blocks.js'
import type { StrapiDocument } from './documents.js'
import type { StrapiSchema } from './export.js'
import type { StrapiLinks } from './links.js'
import type { PlannedField, PlannedType, StrapiModel } from './model.js'

interface Source {
  readonly type: string
  readonly id: string
  readonly data: Readonly<Record<string, unknown>>
  readonly document?: { readonly key: string; readonly locale: string }
}
type Sources = ReadonlyMap<string, Source>

/** A list that is empty in a language is so, and not that of the default one. */
const emptyLists = (fields: readonly PlannedField[]): ImportedValues =>
  Object.fromEntries(
    fields
      .filter(({ data }) => data.cardinality === 'many')
      .map(({ name, taking }) => [name, taking === 'media' ? { files: [] } : { entries: [] }]),
  )

function idsOf(type: string, rows: StrapiDocument['rows']): SourceId[] {
  const [first] = rows.values()
  const documentId = textIn(first?.data, 'documentId')
  return [
    ...(documentId === undefined ? [] : [{ kind: 'document', id: documentId }]),
    ...(first ? [{ kind: type, id: first.id }] : []),
  ]
}

const sourceKey = ({ type, id }: Source): string => `${type} ${id}`

type Owner = Pick<ImportedEntry, 'isPublished' | 'publishedAt' | 'createdAt'>

const maxDepth = 20
const numbers: ReadonlySet<string> = new Set(['integer', 'biginteger', 'float', 'decimal'])

interface Settings {
  readonly model: StrapiModel
  readonly schemas: ReadonlyMap<string, StrapiSchema>
  readonly links: StrapiLinks
  readonly standard: string
  readonly fileOf: (addressOrHash: string) => string | undefined
  /** The entries are added to it. */
  readonly entries: GrowingRecords<ImportedEntry>
  readonly notes: Notes
}

/** Makes entries of documents, and of the components in them that are entries. */
export class StrapiEntries {
  /** Each entry of a component before the one that names it. */
  readonly entries: GrowingRecords<ImportedEntry>
  private readonly known = new Set<string>()
  private readonly blocks: BlocksHtml

  constructor(private readonly settings: Settings) {
    this.blocks = new BlocksHtml(settings.fileOf)
    this.entries = settings.entries
  }

  add({ key, type, rows, isPublished, publishedAt, createdAt, changedAt }: StrapiDocument): void {
    const sources = new Map(
      [...rows].map(([locale, { id, type: uid, data }]) => [
        locale,
        { type: uid, id, data, document: { key, locale } },
      ]),
    )
    const { standard, notes } = this.settings
    if (!rows.has(standard))
      notes.add('Documents without the default language get their texts in it too', type.name)
    const owner = { isPublished, publishedAt, createdAt }
    const entry = this.entry(key, type, sources, owner, 0)
    this.entries.push({ ...entry, ids: idsOf(type.name, rows), ...(changedAt ? { changedAt } : {}) })
  }

  private entry(
    key: string,
    type: PlannedType,
    sources: Sources,
    owner: Owner,
    depth: number,
  ): ImportedEntry {
    const { standard } = this.settings
    const base = sources.get(standard)
    const [first] = sources.values()
    const plain = type.fields.filter(({ taking }) => taking !== 'children')
    const valuesOf = (source: Source | undefined, fields: readonly PlannedField[]): ImportedValues =>
      Object.fromEntries(
        fields.flatMap(field => {
          const value = source && this.value(source, field, owner, depth)
          return value ? [[field.name, value] as const] : []
        }),
      )
    // Without the default language, the texts of another one stand in, because its lists have all documents.
    const values = valuesOf(base ?? first, plain)
    const translatable = plain.filter(field => field.translatable)
    const others = [...sources].filter(([locale]) => locale !== standard)
    const translations = others.map(
      ([locale, source]) =>
        [locale, { ...emptyLists(translatable), ...valuesOf(source, translatable) }] as const,
    )
    const written = translations.filter(([, own]) => Object.keys(own).length > 0)
    const zone = type.fields.find(({ taking }) => taking === 'children')
    const sizes = [
      ...others.map(([, source]) => this.sizeOf(source, translatable)),
      this.sizeOf(base ?? first, plain),
    ]
    // Components that are JSON were put together by their links: what they have there is known here only.
    const isComponent = new Set(plain.flatMap(({ name, taking }) => (taking === 'component' ? [name] : [])))
    const componentSizes = [values, ...translations.map(([, own]) => own)].map(own =>
      sizeOfValues(Object.fromEntries(Object.entries(own).filter(([name]) => isComponent.has(name)))),
    )
    const children = zone ? this.children(type.name, zone, sources, owner, depth) : []
    return {
      key,
      type: type.name,
      ...owner,
      source: { size: sumOf([...sizes, ...componentSizes]) },
      values,
      ...(written.length > 0 ? { translations: Object.fromEntries(written) } : {}),
      ...(children.length > 0 ? { children } : {}),
    }
  }

  /** How much a row has in these fields. */
  private sizeOf(source: Source | undefined, fields: readonly PlannedField[]): Size {
    if (!source) return noSize
    return sumOf(
      fields.map(({ attributeName, taking }) => {
        // Parts are entries of their own.
        if (taking === 'relation' || taking === 'parts' || taking === 'component') return noSize
        if (taking !== 'media') return sizeOfJson(memberOf(source.data, attributeName))
        const { links } = this.settings
        return { ...noSize, pictures: links.filesOf(source.type, source.id, attributeName).length }
      }),
    )
  }

  private value(source: Source, field: PlannedField, owner: Owner, depth: number): ImportedValue | undefined {
    const { attributeName, attribute, taking } = field
    const value = memberOf(source.data, attributeName)
    switch (taking) {
      case 'media': {
        const files = this.settings.links.filesOf(source.type, source.id, attributeName)
        return files.length > 0 ? { files } : undefined
      }
      case 'relation': {
        const entries = this.related(source, field)
        return entries.length > 0 ? { entries } : undefined
      }
      case 'blocks':
        return Array.isArray(value) && value.length > 0 ? { html: this.blocks.of(value) } : undefined
      case 'component': {
        const json = this.componentJson(value, attribute.component, depth)
        return json === undefined ? undefined : { value: json }
      }
      case 'parts': {
        const entries = this.parts(field, source, owner, depth)
        return entries.length > 0 ? { entries } : undefined
      }
      default:
        return value === null || value === undefined ? undefined : { value: plainValue(value, field) }
    }
  }

  private related({ type, id, document }: Source, { attributeName, attribute }: PlannedField): string[] {
    const { links } = this.settings
    const isOtherSide = attribute.mappedBy || attribute.morphBy
    if (!isOtherSide || !document) return links.ownedBy(type, id, attributeName)
    return links.namedBy(document.key, document.locale, attributeName, attribute)
  }

  private components({ data }: Source, { attribute, attributeName }: PlannedField): Source[] {
    const value = memberOf(data, attributeName)
    const list: unknown[] = Array.isArray(value) ? value : [value]
    return list.filter(isObject).flatMap(component => {
      const type = attribute.type === 'dynamiczone' ? memberOf(component, '__component') : attribute.component
      const id = memberOf(component, 'id')
      const isNamed = typeof id === 'number' || typeof id === 'string'
      if (typeof type === 'string' && isNamed && this.settings.model.types.has(type))
        return [{ type, id: String(id), data: component }]
      this.settings.notes.add('Components whose schema the export does not have are left out', attributeName)
      return []
    })
  }

  private parts(field: PlannedField, source: Source, owner: Owner, depth: number): string[] {
    const { model, standard } = this.settings
    return this.components(source, field).flatMap(component => {
      const type = model.types.get(component.type)
      const key = sourceKey(component)
      if (!type || this.isTooDeep(component, depth)) return []
      // In two languages where one has its texts from the other.
      if (this.known.has(key)) return [key]
      this.known.add(key)
      this.entries.push(this.entry(key, type, new Map([[standard, component]]), owner, depth + 1))
      return [key]
    })
  }

  private isTooDeep({ type }: Source, depth: number): boolean {
    if (depth >= maxDepth) this.settings.notes.add('Components that are nested too deeply are left out', type)
    return depth >= maxDepth
  }

  private children(
    typeName: string,
    field: PlannedField,
    sources: Sources,
    owner: Owner,
    depth: number,
  ): ImportedEntry[] {
    const place = `${typeName}.${field.attributeName}`
    const { model, standard } = this.settings
    const [first] = sources
    if (!first) return []
    const others = field.translatable ? [...sources].slice(1) : []
    const counterparts = others.map(
      ([locale, source]) => [locale, new Counterparts(this.components(source, field))] as const,
    )
    const children = this.components(first[1], field).flatMap(component => {
      const type = model.types.get(component.type)
      const key = sourceKey(component)
      if (!type || this.known.has(key) || this.isTooDeep(component, depth)) return []
      this.known.add(key)
      const same = new Map([[field.translatable ? first[0] : standard, component]])
      for (const [locale, list] of counterparts) {
        const other = list.next(component.type)
        if (other) same.set(locale, other)
        else this.settings.notes.add('Components that are missing in a translation appear in it too', place)
      }
      return [this.entry(key, type, same, owner, depth + 1)]
    })
    for (const [, { left }] of counterparts)
      for (const _ of left)
        this.settings.notes.add('Components that only a translation has are left out', place)
    return children
  }

  /**
   * A component as Strapi shows it, or a list of them.
   * @param uid undefined in a dynamic zone, where each names its own
   */
  private componentJson(value: unknown, uid: string | null | undefined, depth: number): unknown {
    if (Array.isArray(value)) return value.flatMap(one => this.componentJson(one, uid, depth) ?? [])
    if (!isObject(value) || depth > maxDepth) return undefined
    const own = uid ? undefined : memberOf(value, '__component')
    const schema = this.settings.schemas.get(uid ?? String(own))
    if (!schema) return undefined
    const shown = [...schema.attributes].flatMap(([name, { type, component, private: isPrivate }]) => {
      if (type === 'password' || isPrivate) return []
      const member = memberOf(value, name)
      const json = type === 'component' ? this.componentJson(member, component ?? '', depth + 1) : member
      return [[name, json ?? null] as const]
    })
    const named = own === undefined ? [] : [['__component', own] as const]
    return Object.fromEntries([...named, ['id', memberOf(value, 'id')], ...shown])
  }
}

/** The components of another locale, each for the next one of its kind in the default locale. */
class Counterparts {
  /** @param left those that are not given yet */
  constructor(readonly left: Source[]) {}

  next(type: string): Source | undefined {
    const at = this.left.findIndex(one => one.type === type)
    return at < 0 ? undefined : this.left.splice(at, 1)[0]
  }
}

/** Numbers of databases may be text; those beyond what a number holds stay so. */
function plainValue(value: unknown, { attribute }: PlannedField): unknown {
  if (typeof value !== 'string' || !numbers.has(attribute.type) || value.trim() === '') return value
  const number = Number(value)
  const isExact = attribute.type !== 'biginteger' || Number.isSafeInteger(number)
  return Number.isFinite(number) && isExact ? number : value
}
