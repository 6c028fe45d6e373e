import { type ContentTree, type Node, walk } from '../content-tree.js'
import type { MediaRecord } from '../media-records.js'
import { addByName, childrenKey, type FormatContext, valuesIn, whole } from './format.js'
import { changedAt, typedValue } from './typed-value.js'

const link = (linkType: string, id: string) => ({ sys: { type: 'Link', linkType, id } })

function entryOf(
  { entry, datatype, ...node }: Node,
  route: ContentTree['route'],
  context: FormatContext,
  included: ReadonlySet<string>,
) {
  const fields: Record<string, unknown> = {}
  if (route) Object.assign(fields, { title: route.title, slug: route.slug })
  if (node.children.length > 0)
    fields[childrenKey] = node.children.map(child => link('Entry', child.entry.content_data_id))
  addByName(fields, valuesIn(node, context), value => {
    const typed = typedValue(value)
    if (typed.kind === 'empty') return undefined
    if (typed.kind === 'rich') return context.richText?.toContentful(typed.html)
    if (typed.kind === 'plain') return typed.json
    // What is not part of the answer could be a draft.
    const links =
      typed.kind === 'media'
        ? typed.ids.filter(id => context.media.has(id)).map(id => link('Asset', id))
        : typed.ids.filter(id => included.has(id)).map(id => link('Entry', id))
    return typed.many && links.length > 0 ? links : links[0]
  })
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
      contentType: link('ContentType', datatype.name),
      locale: context.locale || 'en',
    },
    fields,
  }
}

/** Its front ends put the scheme in front of an address that begins with `//`; plain http they could not mean. */
const assetOf = (media: MediaRecord, context: FormatContext) => ({
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
    locale: context.locale || 'en',
  },
  fields: {
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
})

/**
 * The delivery API's array answer: the root is its one item; everything below it, and what its relations name, is
 * linked and included.
 */
export const contentful = whole(({ route, root }, context) => {
  const nodes = [...walk(root)]
  const linked = [...context.linked.values()]
  const ids = new Set([...nodes, ...linked.map(({ node }) => node)].map(({ entry }) => entry.content_data_id))
  const [item, ...below] = nodes.map(node => entryOf(node, node === root ? route : undefined, context, ids))
  const others = linked.map(({ node, route }) => entryOf(node, route, context, ids))
  const Entry = [...below, ...others]
  const Asset = [...context.media.values()].map(media => assetOf(media, context))
  const includes = { ...(Entry.length > 0 ? { Entry } : {}), ...(Asset.length > 0 ? { Asset } : {}) }
  return JSON.stringify({
    sys: { type: 'Array' },
    total: 1,
    skip: 0,
    limit: 100,
    items: [item],
    ...(Entry.length + Asset.length > 0 ? { includes } : {}),
  })
})
