import { type ContentTree, type Node, walk } from '../content-tree.js'
import { addByName, childrenKey, type Format, type FormatContext, valuesIn } from './format.js'
import { changedAt, typedValue } from './typed-value.js'

const link = (linkType: string, id: string) => ({ sys: { type: 'Link', linkType, id } })

function entryOf(
  node: Node,
  { route, root }: ContentTree,
  { locale }: FormatContext,
  inTree: ReadonlySet<string>,
) {
  const { entry, datatype, children } = node
  const fields: Record<string, unknown> = {}
  if (node === root && route) Object.assign(fields, { title: route.title, slug: route.slug })
  if (children.length > 0)
    fields[childrenKey] = children.map(child => link('Entry', child.entry.content_data_id))
  addByName(fields, valuesIn(node, locale), value => {
    const typed = typedValue(value)
    if (typed.kind === 'empty') return undefined
    if (typed.kind === 'plain') return typed.json
    // A link to an entry that is not part of the answer could name a draft.
    const links =
      typed.kind === 'media'
        ? typed.ids.map(id => link('Asset', id))
        : typed.ids.filter(id => inTree.has(id)).map(id => link('Entry', id))
    return typed.many && links.length > 0 ? links : links[0]
  })
  return {
    metadata: { tags: [], concepts: [] },
    sys: {
      space: link('Space', 'slugline'),
      id: entry.content_data_id,
      type: 'Entry',
      createdAt: entry.date_created,
      updatedAt: changedAt(node),
      environment: link('Environment', 'master'),
      publishedVersion: entry.revision,
      revision: entry.revision,
      contentType: link('ContentType', datatype.name),
      locale: locale || 'en',
    },
    fields,
  }
}

/** The delivery API's array answer: the root is its one item, everything below it is linked and included. */
export const contentful: Format = (tree, context) => {
  const nodes = [...walk(tree.root)]
  const inTree = new Set(nodes.map(({ entry }) => entry.content_data_id))
  const [item, ...included] = nodes.map(node => entryOf(node, tree, context, inTree))
  return JSON.stringify({
    sys: { type: 'Array' },
    total: 1,
    skip: 0,
    limit: 100,
    items: [item],
    ...(included.length > 0 ? { includes: { Entry: included } } : {}),
  })
}
