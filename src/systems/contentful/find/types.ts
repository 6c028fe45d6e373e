import { mayList } from '../../../services/content/visibility.js'
import type { CompatSite, Written } from '../../../services/delivery/compat/compat.js'
import { childrenKey, typeNameOf } from '../../../services/delivery/formats/format.js'
import type { fieldNamed } from '../../../services/delivery/query/query-plan.js'
import { fieldsOf, titleFieldOf } from '../../documents.js'
import { type TypeMapping, targetsOf } from '../../mapping.js'
import type { ContentfulRequest } from '../http/request.js'
import { onlyLocale } from '../write/entries.js'
import { link } from '../write/page.js'
import { arrayOf } from './entries.js'

type Datatype = TypeMapping['datatype']
type Field = NonNullable<ReturnType<typeof fieldNamed>>

const types: Readonly<Record<string, string>> = {
  textarea: 'Text',
  number: 'Number',
  boolean: 'Boolean',
  date: 'Date',
  datetime: 'Date',
  json: 'Object',
  richtext: 'RichText',
}

function referenceType({ field_type, data }: Field, { types }: CompatSite): Record<string, unknown> {
  const targets = targetsOf({ data }).map(
    target => types.find(({ datatype }) => datatype.name === target)?.name ?? target,
  )
  const isEntry = field_type === 'relation'
  const one = {
    type: 'Link',
    linkType: isEntry ? 'Entry' : 'Asset',
    validations: isEntry && targets.length > 0 ? [{ linkContentType: targets }] : [],
  }
  return data.cardinality === 'many' ? { type: 'Array', items: one, validations: [] } : one
}

const textType = { type: 'Symbol', validations: [] }

/** A JSON field that begins as a list of texts is one, such as of words that describe a post. */
const isTextList = ({ field_type, data }: Field): boolean =>
  field_type === 'json' && Array.isArray(data.default) && data.default.every(one => typeof one === 'string')

function typeOf(field: Field, site: CompatSite): Record<string, unknown> {
  const { field_type } = field
  if (field_type === 'relation' || field_type === 'media') return referenceType(field, site)
  if (isTextList(field)) return { type: 'Array', items: textType, validations: [] }
  const type = field_type === 'number' && field.data.integer === true ? 'Integer' : types[field_type]
  return { type: type ?? 'Symbol', validations: [] }
}

const usable = { disabled: false, omitted: false }

function fieldOf(field: Field, site: CompatSite) {
  const { name, label, required, translatable } = field
  return {
    ...{ id: name, name: label, localized: translatable, required, ...usable },
    ...typeOf(field, site),
  }
}

/** Title, slug and children of entries, beside their fields; some clients learn of them only here. */
function otherFieldsOf({ childrenNames }: CompatSite, { datatype_id }: Datatype) {
  const children = childrenNames.get(datatype_id) ?? childrenKey
  const entry = { type: 'Link', linkType: 'Entry', validations: [] }
  const other = (id: string, name: string, type: object) => ({
    ...{ id, name, localized: false, required: false, ...usable },
    ...type,
  })
  return [
    other('title', 'Title', textType),
    other('slug', 'Slug', textType),
    other(children, 'Children', { type: 'Array', items: entry, validations: [] }),
  ]
}

function contentTypeOf(site: CompatSite, datatype: Datatype) {
  const { schema } = site.documents
  const fields = fieldsOf(schema, datatype)
    .sort((a, b) => schema.order(a) - schema.order(b))
    .map(field => fieldOf(field, site))
  const names = new Set(fields.map(({ id }) => id))
  return {
    sys: {
      ...{ space: link('Space', 'slugline'), id: typeNameOf({ datatype }, site), type: 'ContentType' },
      ...{ createdAt: datatype.date_created, updatedAt: datatype.date_modified },
      ...{ environment: link('Environment', 'master'), revision: 1 },
    },
    ...{ name: datatype.label, description: '' },
    displayField: titleFieldOf(schema, datatype)?.name ?? 'title',
    fields: [...fields, ...otherFieldsOf(site, datatype).filter(({ id }) => !names.has(id))],
  }
}

/** `content_types`: the datatypes that the caller may read. */
export async function contentfulTypes(
  site: CompatSite,
  { skip, limit }: ContentfulRequest,
): Promise<Written> {
  const reach = await site.reach()
  const shown = site.types.filter(({ datatype }) => mayList(datatype, reach))
  const items = shown
    .slice(skip, skip + limit)
    .map(({ datatype }) => JSON.stringify(contentTypeOf(site, datatype)))
  return arrayOf({ total: shown.length, items }, skip, limit)
}

export async function contentfulType(site: CompatSite, name: string): Promise<Written> {
  const datatype = await site.open(site.types.find(one => one.name === name)?.datatype)
  return { text: JSON.stringify(contentTypeOf(site, datatype)) }
}

function localesOf({ documents: { schema } }: CompatSite) {
  const stored = [...schema.locales.values()].sort((a, b) => (a.code < b.code ? -1 : 1))
  const shown =
    stored.length > 0
      ? stored
      : [{ code: onlyLocale, label: 'English', is_default: true, fallback_code: null }]
  return shown.map(({ code, label, is_default, fallback_code }) => ({
    ...{ code, name: label, default: is_default, fallbackCode: fallback_code },
    sys: { id: code, type: 'Locale', version: 1 },
  }))
}

/** `locales`. */
export function contentfulLocales(site: CompatSite): Written {
  const items = localesOf(site).map(one => JSON.stringify(one))
  return arrayOf({ total: items.length, items }, 0, 1000)
}

/** `tags`: always an empty list. */
export const contentfulTags = (): Written => arrayOf({ total: 0, items: [] }, 0, 100)

/** The space itself, whatever it is called. */
export const contentfulSpace = (site: CompatSite, id: string): Written => ({
  text: JSON.stringify({ sys: { type: 'Space', id }, name: 'Slugline', locales: localesOf(site) }),
})
