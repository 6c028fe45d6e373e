import { link } from '../formats/contentful.js'
import type { fieldNamed } from '../query/query-plan.js'
import type { CompatSite, Written } from './compat.js'
import { arrayOf, type ContentfulRequest } from './contentful.js'
import { type TypeMapping, targetsOf } from './mapping.js'
import { titleFieldOf } from './wordpress-finding.js'

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

/** What a reference is, one or a list of them. */
function referenceType({ field_type, data }: Field): Record<string, unknown> {
  const targets = targetsOf({ data })
  const isEntry = field_type === 'relation'
  const one = {
    type: 'Link',
    linkType: isEntry ? 'Entry' : 'Asset',
    validations: isEntry && targets.length > 0 ? [{ linkContentType: targets }] : [],
  }
  return data.cardinality === 'many' ? { type: 'Array', items: one, validations: [] } : one
}

function fieldOf(field: Field) {
  const { name, label, field_type, required, translatable } = field
  const isReference = field_type === 'relation' || field_type === 'media'
  return {
    ...{ id: name, name: label, localized: translatable, required, disabled: false, omitted: false },
    ...(isReference ? referenceType(field) : { type: types[field_type] ?? 'Symbol', validations: [] }),
  }
}

function contentTypeOf({ documents: { schema } }: CompatSite, datatype: Datatype) {
  const fields = [...schema.fields.values()]
    .filter(({ parent_id }) => parent_id === datatype.datatype_id)
    .sort((a, b) => schema.order(a) - schema.order(b))
  return {
    sys: {
      ...{ space: link('Space', 'slugline'), id: datatype.name, type: 'ContentType' },
      ...{ createdAt: datatype.date_created, updatedAt: datatype.date_modified },
      ...{ environment: link('Environment', 'master'), revision: 1 },
    },
    ...{ name: datatype.label, description: '' },
    displayField: titleFieldOf(schema, datatype)?.name ?? null,
    fields: fields.map(fieldOf),
  }
}

/** `content_types`: the datatypes that anybody may read. */
export function contentfulTypes(site: CompatSite, { skip, limit }: ContentfulRequest): Written {
  const shown = site.types.filter(({ datatype }) => datatype.is_public)
  const items = shown.slice(skip, skip + limit).map(({ datatype }) => contentTypeOf(site, datatype))
  return arrayOf({ total: shown.length, items }, skip, limit)
}

export async function contentfulType(site: CompatSite, name: string): Promise<Written> {
  const datatype = await site.open(site.types.find(one => one.datatype.name === name)?.datatype)
  return { text: JSON.stringify(contentTypeOf(site, datatype)) }
}

function localesOf({ documents: { schema } }: CompatSite) {
  const stored = [...schema.locales.values()].sort((a, b) => (a.code < b.code ? -1 : 1))
  const shown =
    stored.length > 0 ? stored : [{ code: 'en', label: 'English', is_default: true, fallback_code: null }]
  return shown.map(({ code, label, is_default, fallback_code }) => ({
    ...{ code, name: label, default: is_default, fallbackCode: fallback_code },
    sys: { id: code, type: 'Locale', version: 1 },
  }))
}

/** `locales`. */
export function contentfulLocales(site: CompatSite): Written {
  const items = localesOf(site)
  return arrayOf({ total: items.length, items }, 0, 1000)
}

/** `tags`, of which there are none. */
export const contentfulTags = (): Written => arrayOf({ total: 0, items: [] }, 0, 100)

/** The space itself, whatever it is called. */
export const contentfulSpace = (site: CompatSite, id: string): Written => ({
  text: JSON.stringify({ sys: { type: 'Space', id }, name: 'Slugline', locales: localesOf(site) }),
})
