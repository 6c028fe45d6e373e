import type { FieldType } from '../../../services/content/field-types.js'
import type { Notes } from '../../../services/import/notes.js'
import type { ImportedType } from '../../../services/import/site.js'
import { camelCase, label } from '../../../services/text.js'
import { ignoringCase, takeName } from '../../imports.js'
import { kebab, pluralOf } from '../../mapping.js'
import type { Attribute, StrapiExport, StrapiSchema } from './export.js'

/** How the values of an attribute are taken over. `parts` are entries of a component that a relation names. */
type Taking = 'plain' | 'blocks' | 'media' | 'relation' | 'component' | 'parts' | 'children'

/** An attribute that is taken over. */
export interface PlannedField {
  readonly attributeName: string
  readonly attribute: Attribute
  readonly taking: Taking
  readonly name: string
  readonly label: string
  readonly type: FieldType
  readonly translatable: boolean
  readonly data: Readonly<Record<string, unknown>>
}

/** A content type, or a component whose instances are entries. */
export interface PlannedType {
  readonly schema: StrapiSchema
  readonly name: string
  readonly label: string
  readonly isLocalized: boolean
  readonly fields: readonly PlannedField[]
  readonly compat: ImportedType['compat']
}

interface Use {
  /** True if relations name them, and so their children would not be shown. */
  alone: boolean
  localized: boolean
}

const fieldTypes: Readonly<Record<string, FieldType>> = {
  string: 'text',
  text: 'textarea',
  richtext: 'textarea',
  blocks: 'richtext',
  uid: 'slug',
  integer: 'number',
  biginteger: 'number',
  float: 'number',
  decimal: 'number',
  boolean: 'boolean',
  enumeration: 'select',
  date: 'date',
  datetime: 'datetime',
  time: 'text',
  timestamp: 'text',
  email: 'email',
  json: 'json',
}

const ownAttributes: ReadonlySet<string> = new Set([
  ...['createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'locale', 'localizations'],
  ...['strapi_stage', 'strapi_assignee', 'strapi_reviewWorkflows_stage'],
])

const kinds: Readonly<Record<string, string>> = {
  images: 'image',
  videos: 'video',
  audios: 'audio',
  files: 'document',
}

/** `metaTitle` and `meta_title` as `Meta title`. */
function labelOf(name: string): string {
  const words = kebab(name).replaceAll('-', ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const isKey = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_]{0,254}$/.test(name)
const nameKey = (name: string): string => (isKey(name) ? name : camelCase(name).slice(0, 200))

const free = (wanted: string, taken: Set<string>): string => takeName(wanted, taken, ignoringCase)

const isContent = ({ uid, modelType }: StrapiSchema): boolean =>
  modelType === 'contentType' && uid.startsWith('api::')
const hasOption = ({ pluginOptions }: Pick<Attribute, 'pluginOptions'>): boolean =>
  pluginOptions?.i18n?.localized === true
const isMany = ({ relation }: Attribute): boolean => /Many$/i.test(relation ?? '')

/** Finds out what the types of an export become. */
export class StrapiModel {
  readonly types: ReadonlyMap<string, PlannedType>
  private readonly uses = new Map<string, Use>()
  private readonly names = new Map<string, string>()
  private readonly withRecords = new Map<string, boolean>()

  constructor(
    private readonly schemas: StrapiExport['schemas'],
    private readonly notes: Notes,
  ) {
    const content = [...schemas.values()].filter(isContent)
    for (const schema of content) this.useComponents(schema, undefined, hasOption(schema))
    // Exports have components in no order.
    const components = [...schemas.values()]
      .filter(({ uid }) => this.uses.has(uid))
      .sort((a, b) => (a.uid < b.uid ? -1 : 1))
    const taken = new Set<string>()
    for (const schema of content) this.names.set(schema.uid, free(nameOfContent(schema), taken))
    for (const { uid } of components) {
      const [category = '', name = ''] = uid.split('.')
      const short = nameKey(camelCase(name))
      this.names.set(
        uid,
        free(taken.has(short.toLowerCase()) ? camelCase(`${category} ${name}`) : short, taken),
      )
    }
    this.types = new Map([...content, ...components].map(schema => [schema.uid, this.planned(schema)]))
  }

  /** True if instances of a component name other records, at any depth, and so become entries. */
  private namesRecords(uid: string): boolean {
    const known = this.withRecords.get(uid)
    if (known !== undefined) return known
    // A component within itself says nothing new.
    this.withRecords.set(uid, false)
    const attributes = [...(this.schemas.get(uid)?.attributes.values() ?? [])]
    const found = attributes.some(
      ({ type, component }) =>
        type === 'media' ||
        type === 'relation' ||
        (type === 'component' && this.namesRecords(component ?? '')),
    )
    this.withRecords.set(uid, found)
    return found
  }

  /** The attribute whose components are children: the first dynamic zone, else the first list that names records. */
  private childrenOf({ uid, attributes }: StrapiSchema): string | undefined {
    const all = [...attributes]
    const zone = all.find(([, { type }]) => type === 'dynamiczone')
    const list = all.find(
      ([, { type, repeatable, component }]) =>
        type === 'component' && repeatable && this.namesRecords(component ?? ''),
    )
    return this.uses.get(uid)?.alone ? undefined : (zone ?? list)?.[0]
  }

  private useComponents(schema: StrapiSchema, use: Use | undefined, isLocalized: boolean): void {
    const children = this.childrenOf(schema)
    for (const [name, attribute] of schema.attributes) {
      const isChild = name === children
      const localized = isChild && isLocalized && (use?.localized ?? hasOption(attribute))
      for (const uid of this.entriesOf(attribute, isChild)) this.use(uid, { alone: !isChild, localized })
    }
  }

  private entriesOf({ type, component, components }: Attribute, isChildren = false): string[] {
    const all =
      type === 'dynamiczone' ? (components ?? []) : type === 'component' && component ? [component] : []
    return isChildren || all.some(uid => this.namesRecords(uid)) ? all : []
  }

  private use(uid: string, { alone, localized }: Use): void {
    const schema = this.schemas.get(uid)
    const known = this.uses.get(uid)
    if (!schema || (known && (known.alone || !alone) && (known.localized || !localized))) return
    const use = { alone: alone || !!known?.alone, localized: localized || !!known?.localized }
    this.uses.set(uid, use)
    this.useComponents(schema, use, use.localized)
  }

  private planned(schema: StrapiSchema): PlannedType {
    const { uid, info } = schema
    const name = this.names.get(uid) ?? ''
    const children = this.childrenOf(schema)
    const taken = new Set<string>()
    const fields = [...schema.attributes].flatMap(
      ([attributeName, attribute]) =>
        this.field(schema, attributeName, attribute, attributeName === children, taken) ?? [],
    )
    const blocks = fields.flatMap(({ taking, name }) => (taking === 'blocks' ? [name] : []))
    const compat = {
      ...compatOf(schema, name),
      ...(children === undefined ? {} : { children }),
      ...(blocks.length > 0 ? { blocks } : {}),
    }
    return {
      schema,
      name,
      label: label().safeParse(info?.displayName).data ?? labelOf(name),
      isLocalized: isContent(schema) ? hasOption(schema) : this.uses.get(uid)?.localized === true,
      fields,
      compat: Object.keys(compat).length > 0 ? compat : undefined,
    }
  }

  private field(
    schema: StrapiSchema,
    attributeName: string,
    attribute: Attribute,
    isChildren: boolean,
    taken: Set<string>,
  ): PlannedField | undefined {
    const place = `${this.names.get(schema.uid)}.${attributeName}`
    if (ownAttributes.has(attributeName)) return undefined
    const problem = this.problemOf(attribute)
    if (problem) {
      this.notes.add(problem, place)
      return undefined
    }
    const name = isChildren ? attributeName : free(nameKey(attributeName), taken)
    if (name !== attributeName) this.notes.add('Fields get a different name', `${place} is ${name}`)
    const common = { attributeName, attribute, name, label: labelOf(attributeName) }
    const translatable = this.isTranslatable(schema, attribute)
    return { ...common, translatable, ...this.taking(attribute, isChildren, place) }
  }

  private problemOf(attribute: Attribute): string | undefined {
    if (attribute.type === 'password') return 'Passwords are left out'
    if (attribute.private)
      return 'Private fields are left out, because the public sees all fields of an entry'
    if (attribute.type === 'relation' && attribute.target && !this.names.has(attribute.target))
      return 'Relations to accounts and other records that are not content are left out'
    return undefined
  }

  /** As Strapi has it: relations and slugs differ between languages in any case. */
  private isTranslatable(schema: StrapiSchema, attribute: Attribute): boolean {
    if (!isContent(schema)) return this.uses.get(schema.uid)?.localized === true
    const { type } = attribute
    return hasOption(schema) && (hasOption(attribute) || type === 'relation' || type === 'uid')
  }

  private taking(
    attribute: Attribute,
    isChildren: boolean,
    place: string,
  ): Pick<PlannedField, 'taking' | 'type' | 'data'> {
    const { type, repeatable, multiple, target } = attribute
    const manyIf = (many: unknown) => (many ? { cardinality: 'many' } : {})
    if (isChildren) return { taking: 'children', type: 'relation', data: {} }
    if (type === 'media')
      return { taking: 'media', type: 'media', data: { ...manyIf(multiple), ...kindsOf(attribute) } }
    if (type === 'relation') {
      const targets = target ? { target: this.names.get(target) } : {}
      return { taking: 'relation', type: 'relation', data: { ...manyIf(isMany(attribute)), ...targets } }
    }
    const parts = this.entriesOf(attribute).flatMap(uid => this.names.get(uid) ?? [])
    if (type === 'dynamiczone' && parts.length > 0)
      this.notes.add('Further dynamic zones of a type become relations to several entries', place)
    if (parts.length > 0) {
      const many = manyIf(repeatable || type === 'dynamiczone')
      return {
        taking: 'parts',
        type: 'relation',
        data: { ...many, target: parts.length === 1 ? parts[0] : parts },
      }
    }
    if (type === 'component' || type === 'dynamiczone') return { taking: 'component', type: 'json', data: {} }
    const own = Object.hasOwn(fieldTypes, type) ? fieldTypes[type] : undefined
    return { taking: type === 'blocks' ? 'blocks' : 'plain', type: own ?? 'json', data: {} }
  }
}

function nameOfContent({ uid, info }: StrapiSchema): string {
  const singular = info?.singularName ?? uid.slice(uid.lastIndexOf('.') + 1)
  const name = camelCase(singular)
  const exact = singular.replaceAll('-', '_')
  return kebab(name) !== singular && isKey(exact) ? exact : name.slice(0, 200)
}

function compatOf({ uid, kind, modelType, info }: StrapiSchema, name: string): Record<string, string> {
  if (modelType === 'component') return { component: uid }
  const plural = info?.pluralName
  return kind === 'singleType' || !plural || plural === pluralOf(kebab(name)) ? {} : { strapi: plural }
}

/** None where any file is taken. */
function kindsOf({ allowedTypes }: Attribute): { kinds?: string[] } {
  const allowed = (allowedTypes ?? []).flatMap(type =>
    Object.hasOwn(kinds, type) ? (kinds[type] ?? []) : [],
  )
  const found = [...new Set(allowed)]
  return found.length > 0 && found.length < Object.keys(kinds).length ? { kinds: found } : {}
}
