import {
  addByName,
  childrenNameOf,
  type FormatContext,
  typeNameOf,
  valuesIn,
  whole,
} from '../../../services/delivery/formats/format.js'
import { changedAt, typedValue } from '../../../services/delivery/formats/typed-value.js'
import { type ContentTree, type Node, type NodeValue, walk } from '../../../services/delivery/tree.js'
import type { MediaRecord } from '../../../services/media/record.js'
import { contentfulOf, toContentful } from '../rich-text.js'

export const link = (linkType: string, id: string) => ({ sys: { type: 'Link', linkType, id } })

const localeOf = ({ locale, all }: FormatContext) => (all ? {} : { locale: locale || 'en' })

const inAll = (fields: Record<string, unknown>, { all }: FormatContext): Record<string, unknown> =>
  all
    ? Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { [all.standard]: value }]))
    : fields

function textsOf(route: NonNullable<ContentTree['route']>, context: FormatContext): Record<string, unknown> {
  const texts = inAll({ title: route.title, slug: route.slug }, context)
  for (const [locale, own] of Object.entries(route.translations))
    if (context.all?.codes.has(locale))
      for (const [name, text] of Object.entries(own)) Object.assign(texts[name] as object, { [locale]: text })
  return texts
}

function valuesByField(node: Pick<Node, 'values'>, context: FormatContext): NodeValue[][] {
  const { all } = context
  if (!all) return valuesIn(node, context).map(value => [value])
  const byField = new Map<string, NodeValue[]>()
  for (const item of node.values) {
    const { field, value } = item
    if (value.locale !== '' && !all.codes.has(value.locale)) continue
    const known = byField.get(field.field_id)
    if (known) known.push(item)
    else byField.set(field.field_id, [item])
  }
  return [...byField.values()]
}

export function entryOf(
  { entry, datatype, ...node }: Node,
  route: ContentTree['route'],
  context: FormatContext,
  included: ReadonlySet<string>,
) {
  const fields: Record<string, unknown> = {}
  if (route) Object.assign(fields, textsOf(route, context))
  if (node.children.length > 0) {
    const children = node.children.map(child => link('Entry', child.entry.content_data_id))
    Object.assign(fields, inAll({ [childrenNameOf({ datatype }, context)]: children }, context))
  }
  const shown = (item: NodeValue): unknown => {
    const { field, value } = item
    // The day of a time is that of its zone, which front ends may cut out of it.
    if (field.field_type === 'datetime' && value.field_value !== '') return value.field_value
    const typed = typedValue(item)
    if (typed.kind === 'empty') return undefined
    if (typed.kind === 'rich') return context.rich?.get(value) ?? toContentful(typed.html, context.media)
    if (typed.kind === 'plain') return typed.json
    // An entry that is not included could be a draft.
    const links =
      typed.kind === 'media'
        ? typed.ids.filter(id => context.media.has(id)).map(id => link('Asset', id))
        : typed.ids.filter(id => included.has(id)).map(id => link('Entry', id))
    return typed.many && links.length > 0 ? links : links[0]
  }
  const values = valuesByField(node, context)
  const others = new Map(values.map(some => [some[0]?.field.field_id, some]))
  addByName(
    fields,
    values.flatMap(([first]) => first ?? []),
    first => {
      if (!context.all) return shown(first)
      const { standard } = context.all
      const own = (others.get(first.field.field_id) ?? []).flatMap(item => {
        const json = shown(item)
        return json === undefined ? [] : [[item.value.locale || standard, json] as const]
      })
      return own.length === 0 ? undefined : Object.fromEntries(own)
    },
    // Only where there are children a field of that name would hide them.
    '',
  )
  return {
    metadata: { tags: [], concepts: [] },
    sys: {
      space: link('Space', 'slugline'),
      id: entry.content_data_id,
      type: 'Entry',
      createdAt: entry.date_created,
      updatedAt: changedAt({ entry, values: node.values }),
      environment: link('Environment', 'master'),
      publishedVersion: entry.revision,
      revision: entry.revision,
      contentType: link('ContentType', typeNameOf({ datatype }, context)),
      ...localeOf(context),
    },
    fields,
  }
}

/** Its front ends put the scheme in front of an address that begins with `//`; plain http they could not mean. */
export const assetOf = (media: MediaRecord, context: FormatContext) => ({
  metadata: { tags: [], concepts: [] },
  sys: {
    space: link('Space', 'slugline'),
    id: media.media_id,
    type: 'Asset',
    createdAt: media.date_created,
    updatedAt: media.date_modified,
    environment: link('Environment', 'master'),
    publishedVersion: 1,
    revision: 1,
    ...localeOf(context),
  },
  fields: assetFields(media, context),
})

function assetFields(media: MediaRecord, context: FormatContext): Record<string, unknown> {
  const fields = inAll(
    {
      title: media.display_name || media.name,
      description: media.description || media.alt_text,
      file: {
        url: media.url.replace(/^https:/, ''),
        details: {
          size: media.size,
          ...(media.width !== null && media.height !== null
            ? { image: { width: media.width, height: media.height } }
            : {}),
        },
        fileName: media.name,
        contentType: media.mimetype,
      },
    },
    context,
  )
  for (const [locale, { display_name, alt_text }] of Object.entries(media.translations))
    if (context.all?.codes.has(locale)) {
      if (display_name) Object.assign(fields.title as object, { [locale]: display_name })
      if (alt_text && !media.description) Object.assign(fields.description as object, { [locale]: alt_text })
    }
  return fields
}

const listOf = (name: string, items: readonly string[]): string[] =>
  items.length > 0 ? [`"${name}":[${items.join(',')}]`] : []

/**
 * The delivery API's array answer: the root is its one item; everything below it, and what its relations name, is
 * linked and included.
 */
export const contentful = whole(function* ({ route, root }, context) {
  const nodes = [...walk(root)]
  const linked = [...context.linked.values()]
  const ids = new Set([...nodes, ...linked.map(({ node }) => node)].map(({ entry }) => entry.content_data_id))
  const shown = nodes.map(node => ({ node, route: node === root ? route : undefined }))
  const entries: string[] = []
  for (const { node, route } of [...shown, ...linked]) {
    yield
    entries.push(JSON.stringify(entryOf(node, route, context, ids)))
  }
  const [item, ...others] = entries
  const includes = [
    ...listOf('Entry', others),
    ...listOf(
      'Asset',
      [...context.media.values()].map(media => JSON.stringify(assetOf(media, context))),
    ),
  ]
  const answer = `{"sys":{"type":"Array"},"total":1,"skip":0,"limit":100,"items":[${item}]`
  return `${answer}${includes.length > 0 ? `,"includes":{${includes.join(',')}}` : ''}}`
}, contentfulOf)
