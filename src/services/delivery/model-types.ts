import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { schemaRows } from '../../db/queries/model.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Hashing } from '../../ports.js'
import { rulesOf } from '../content/field-data.js'
import { etagOf } from './rendered-page.js'

type Datatype = Pick<RowOf<ContentSpace['datatypes']>, 'name' | 'label' | 'visibility'>
type Field = Pick<
  RowOf<ContentSpace['fields']>,
  'name' | 'label' | 'field_type' | 'data' | 'required' | 'translatable'
>
interface ModelType extends Datatype {
  readonly fields: readonly Field[]
}

const fixedTypes = `export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** The part of a related entry that a relation includes. */
export interface Reference<Name extends string = string> {
  id: string
  type: Name
  slug: string | null
  title: string | null
}

export interface MediaVariant {
  name: string
  width: number
  height: number
  mimetype: string
  fit: 'inside' | 'cover'
  url: string
}

/** A media item. Width, height and variants are there for images. */
export interface Media {
  id: string
  url: string
  alt: string | null
  caption: string | null
  mimetype: string
  width: number | null
  height: number | null
  /** In per cent from the left and the top. */
  focal: { x: number; y: number } | null
  /** A placeholder until the image is loaded, in Base64. */
  thumbhash: string | null
  variants: MediaVariant[]
}

/** An entry as \`format=native\` and queries show it. */
export interface Entry<Name extends string, Fields> extends Reference<Name> {
  locale: string | null
  published_at: string | null
  fields: Fields
  /** There for pages, and for queries with \`children\`. */
  children?: AnyEntry[]
}

/** The response of \`GET /api/v1/query/<name>\`. */
export interface EntryList<E> {
  data: E[]
  meta: { next: string | null; count?: number }
}

/** The response of \`GET /api/v1/query/<name>/<id>\`. */
export interface OneEntry<E> {
  data: E
}

type Expanded<Value> =
  Value extends Reference<infer Name>
    ? Name extends DatatypeName
      ? Datatypes[Name]
      : Value
    : Value extends (infer Item)[]
      ? Expanded<Item>[]
      : Value

/** An entry with these relations expanded, as by \`expand\`. */
export type Expand<E extends { fields: object }, Names extends keyof E['fields']> = Omit<E, 'fields'> & {
  fields: { [Name in keyof E['fields']]: Name extends Names ? Expanded<E['fields'][Name]> : E['fields'][Name] }
}`

/** Names that the types of datatypes do not take: those above, and types that every program has. */
const takenNames = [
  ...['Json', 'Reference', 'MediaVariant', 'Media', 'Entry', 'EntryList', 'OneEntry', 'Expanded', 'Expand'],
  ...['AnyEntry', 'Datatypes', 'DatatypeName', 'Array', 'Omit'],
]

/** Turns `hero_image` and `hero-image` into `HeroImage`; a number from 2 on tells types with equal names apart. */
function typeName(name: string, used: Set<string>): string {
  const words = name.split(/[_-]/).filter(word => word !== '')
  const wanted = words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  const names = (own: string) => [own, `${own}Fields`]
  let own = wanted
  for (let n = 2; names(own).some(name => used.has(name)); n++) own = `${wanted}${n}`
  for (const name of names(own)) used.add(name)
  return own
}

const memberName = (name: string): string => (name.includes('-') ? JSON.stringify(name) : name)

const literals = (texts: readonly string[]): string => texts.map(text => JSON.stringify(text)).join(' | ')
const comment = (label: string): string =>
  label.replaceAll('*/', '* /').replaceAll(/[\r\n\u2028\u2029]/g, ' ')

function relationType(target: string | readonly string[] | undefined, known: ReadonlySet<string>): string {
  const names = target === undefined ? [] : [target].flat().filter(name => known.has(name))
  return `Reference<${names.length > 0 ? literals(names) : 'DatatypeName'}>`
}

function valueType(field: Field, known: ReadonlySet<string>): { type: string; isNullable: boolean } {
  const { options, target, cardinality } = rulesOf(field)
  const isNullable = !field.required || field.translatable
  switch (field.field_type) {
    case 'number':
    case 'boolean':
      return { type: field.field_type, isNullable }
    case 'json':
      return { type: 'Json', isNullable: false }
    case 'select':
      return { type: options ? literals(options) : 'string', isNullable }
    case 'media':
    case 'relation': {
      const one = field.field_type === 'media' ? 'Media' : relationType(target, known)
      // The target of a required relation can still be unpublished.
      return cardinality === 'many'
        ? { type: `${one}[]`, isNullable: false }
        : { type: one, isNullable: true }
    }
    default:
      return { type: 'string', isNullable }
  }
}

function memberOf(field: Field, known: ReadonlySet<string>): string {
  const { type, isNullable } = valueType(field, known)
  const isAlwaysThere = field.required && !field.translatable
  return [
    `  /** ${comment(field.label)} */`,
    `  ${field.name}${isAlwaysThere ? '' : '?'}: ${type}${isNullable ? ' | null' : ''}`,
  ].join('\n')
}

function typesOf(
  { name, label, visibility, fields }: ModelType,
  own: string,
  known: ReadonlySet<string>,
): string {
  const members = fields.map(field => memberOf(field, known))
  return [
    `export interface ${own}Fields {${['', ...members, ''].join('\n')}}`,
    `/** ${comment(label)}${visibility === 'private' ? '. Private: the public cannot see its entries' : ''} */`,
    `export type ${own} = Entry<${JSON.stringify(name)}, ${own}Fields>`,
  ].join('\n')
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1)

/**
 * TypeScript types of all datatypes, as `format=native` and queries show their entries (docs/types.md). The text is the
 * same for the same model, whatever the engine.
 */
export function typeScriptOf(model: readonly ModelType[]): string {
  const sorted = model.toSorted(byName)
  const known = new Set(sorted.map(({ name }) => name))
  const used = new Set(takenNames)
  const named = sorted.map(datatype => ({ datatype, own: typeName(datatype.name, used) }))
  const all = named.map(({ datatype, own }) => `  ${memberName(datatype.name)}: ${own}`)
  return `${[
    '// The content model as TypeScript types. Generated by Slugline; changes here are lost.',
    fixedTypes,
    ...named.map(({ datatype, own }) => typesOf(datatype, own, known)),
    `/** Every datatype by its name. */\nexport interface Datatypes {${['', ...all, ''].join('\n')}}`,
    'export type DatatypeName = keyof Datatypes',
    'export type AnyEntry = Datatypes[DatatypeName]',
  ].join('\n\n')}\n`
}

export interface ModelTypes {
  /** @returns a TypeScript module, see {@link typeScriptOf}, and a strong tag of its text */
  typeScript(): Promise<{ text: string; etag: string }>
}

/** The types of one space's model as it is now. */
export function modelTypes(
  db: Database,
  space: ContentSpace,
  { hashing }: { hashing: Pick<Hashing, 'sha256'> },
): ModelTypes {
  return {
    async typeScript() {
      const byId = new Map<string, Datatype & { fields: Field[] }>()
      for (const { datatype, field } of await db.query(schemaRows(space), {})) {
        if (!datatype) continue
        const found = byId.get(datatype.datatype_id) ?? { ...datatype, fields: [] }
        byId.set(datatype.datatype_id, found)
        if (field) found.fields.push(field)
      }
      const text = typeScriptOf([...byId.values()])
      return { text, etag: etagOf(hashing, text) }
    },
  }
}
