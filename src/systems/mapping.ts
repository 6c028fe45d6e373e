import type { DatatypeRow, FieldRow } from '../db/tables.js'
import type { Schema } from '../services/delivery/content-model.js'
import { childrenKey } from '../services/delivery/formats/format.js'

/** The parts of a post that other systems have names for, and fields stand in for here. */
export const partNames = ['excerpt', 'picture', 'categories', 'tags', 'author'] as const
export type PartName = (typeof partNames)[number]

/** The settings of a datatype in the configuration; missing ones are guessed. */
export interface TypeSettings extends Partial<Record<PartName, string | undefined>> {
  /** Its name under Contentful and Sanity. */
  readonly name?: string | undefined
  /** Its route under `wp/v2`. */
  readonly wordpress?: string | undefined
  /** Its plural under `/compat/strapi/api`. */
  readonly strapi?: string | undefined
  readonly component?: string | undefined
  /** The name of its entries' children under Contentful, Sanity and Strapi, there a zone or a repeated component. */
  readonly children?: string | undefined
  readonly blocks?: readonly string[] | undefined
  /** Its relations that are weak references under Sanity. */
  readonly weak?: readonly string[] | undefined
  readonly zone?: string | undefined
}

/** The names of a datatype and its fields in other systems. */
export interface TypeMapping {
  readonly datatype: DatatypeRow
  /** Of the datatype under Contentful and Sanity. */
  readonly name: string
  readonly wordpress: string
  readonly zone: string | undefined
  readonly strapi: string
  readonly single: string
  /** `blocks.hero` for entries that are children. */
  readonly component: string
  readonly children: string
  readonly blocks: ReadonlySet<string>
  readonly weak: ReadonlySet<string>
  /** True if Strapi shows its entries as components: a component is configured, and no plural. */
  readonly isComponent: boolean
  readonly namesChildren: boolean
  readonly isLocalized: boolean
  readonly fields: readonly FieldRow[]
  readonly parts: Readonly<Partial<Record<PartName, FieldRow>>>
}

const guesses: Record<PartName, readonly string[]> = {
  excerpt: ['excerpt', 'summary', 'teaser', 'lead', 'description', 'abstract'],
  picture: ['featuredImage', 'cover', 'picture', 'image', 'photo', 'heroImage', 'thumbnail'],
  categories: ['categories', 'category', 'section', 'sections'],
  tags: ['tags', 'tag', 'topics', 'keywords'],
  author: ['author', 'authors', 'writer', 'by'],
}
const texts: ReadonlySet<string> = new Set(['text', 'textarea', 'richtext'])
const fits: Record<PartName, (field: FieldRow) => boolean> = {
  excerpt: ({ field_type }) => texts.has(field_type),
  picture: ({ field_type }) => field_type === 'media',
  categories: ({ field_type }) => field_type === 'relation',
  tags: ({ field_type }) => field_type === 'relation',
  author: ({ field_type }) => field_type === 'relation',
}

/** `blogPost` as `blog-post`. */
export const kebab = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()

/** By the rules of English that hold mostly; the others are for the configuration. */
export function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  if (/(?:s|x|z|ch|sh)$/.test(word)) return `${word}es`
  return `${word}s`
}

/** The field for a part: the configured one, or else the first with a likely name, or else the first picture. */
function partOf(
  part: PartName,
  fields: readonly FieldRow[],
  configured: string | undefined,
): FieldRow | undefined {
  const fitting = fields.filter(fits[part])
  if (configured !== undefined) return fitting.find(({ name }) => name === configured)
  for (const name of guesses[part]) {
    const found = fitting.find(field => field.name.toLowerCase() === name.toLowerCase())
    if (found) return found
  }
  return part === 'picture' ? fitting[0] : undefined
}

/** The names of all datatypes in other systems, in the order of their own names. */
export function mappingOf(
  { datatypes, fields, order }: Schema,
  settings: Readonly<Record<string, TypeSettings>>,
): TypeMapping[] {
  const configured = (system: 'wordpress' | 'strapi') =>
    new Set(Object.values(settings).map(own => own[system]))
  const taken = { wordpress: configured('wordpress'), strapi: configured('strapi') }
  const guessed = (system: 'wordpress' | 'strapi', single: string) => {
    const plural = pluralOf(single)
    // Another datatype was given this name.
    return taken[system].has(plural) ? `${single}-list` : plural
  }
  const sorted = [...datatypes.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return sorted.map(datatype => {
    const own = Object.hasOwn(settings, datatype.name) ? (settings[datatype.name] ?? {}) : {}
    const ofType = [...fields.values()]
      .filter(({ parent_id }) => parent_id === datatype.datatype_id)
      .sort((a, b) => order(a) - order(b))
    const parts = partNames.flatMap(part => {
      const field = partOf(part, ofType, own[part])
      return field ? [[part, field] as const] : []
    })
    const idsOf = (type: string, names: readonly string[] = []) =>
      new Set(
        ofType.flatMap(({ field_id, field_type, name }) =>
          field_type === type && names.includes(name) ? [field_id] : [],
        ),
      )
    const single = kebab(datatype.name)
    return {
      datatype,
      name: own.name ?? datatype.name,
      wordpress: own.wordpress ?? guessed('wordpress', single),
      zone: own.zone,
      strapi: own.strapi ?? guessed('strapi', single),
      single,
      component: own.component ?? `blocks.${single}`,
      children: own.children ?? childrenKey,
      isComponent: own.component !== undefined && own.strapi === undefined,
      namesChildren: own.children !== undefined,
      isLocalized: ofType.some(({ translatable }) => translatable),
      blocks: idsOf('richtext', own.blocks),
      weak: idsOf('relation', own.weak),
      fields: ofType,
      parts: Object.fromEntries(parts),
    }
  })
}

/** The names of all datatypes in other systems. */
export interface Mapping {
  readonly types: readonly TypeMapping[]
  /** Names of the children of entries, by the ids of datatypes. */
  readonly childrenNames: ReadonlyMap<string, string>
  /** Names of datatypes under Contentful and Sanity, by their ids. */
  readonly typeNames: ReadonlyMap<string, string>
  /** Ids of relations that are weak references under Sanity. */
  readonly weak: ReadonlySet<string>
}

/** Finds it out once for each schema, until the settings of the configuration change. */
export function mappings(
  settings: () => Readonly<Record<string, TypeSettings>>,
): (schema: Schema) => Mapping {
  const known = new WeakMap<Schema, { by: ReturnType<typeof settings>; mapping: Mapping }>()
  return schema => {
    const [found, by] = [known.get(schema), settings()]
    if (found?.by === by) return found.mapping
    const types = mappingOf(schema, by)
    const childrenNames = new Map(types.map(({ datatype, children }) => [datatype.datatype_id, children]))
    const typeNames = new Map(types.map(({ datatype, name }) => [datatype.datatype_id, name]))
    const weak = new Set(types.flatMap(type => [...type.weak]))
    const mapping = { types, childrenNames, typeNames, weak }
    known.set(schema, { by, mapping })
    return mapping
  }
}

/** Names of the datatypes that a relation may lead to; empty if it may lead to any. */
export const targetsOf = ({ data }: Pick<FieldRow, 'data'>): string[] => {
  const { target } = data
  return (Array.isArray(target) ? target : [target]).filter(name => typeof name === 'string')
}
