import { type ContentTree, type Node, nestedJson } from '../content-tree.js'
import { addByName, childrenKey, type Format, type FormatContext, valuesIn } from './format.js'
import { isReferences, typedValue } from './typed-value.js'

function fieldsOf(
  node: Node,
  taken: Record<string, unknown>,
  { locale }: FormatContext,
): Record<string, unknown> {
  return addByName(taken, valuesIn(node, locale), value => {
    const typed = typedValue(value)
    if (!isReferences(typed)) return typed
    const targets = typed.ids.map(documentId => ({ documentId }))
    return typed.many ? targets : (targets[0] ?? null)
  })
}

const dates = ({ entry }: Node, locale: string) => ({
  createdAt: entry.date_created,
  updatedAt: entry.date_modified,
  publishedAt: entry.status === 'published' ? entry.published_at : null,
  locale: locale || null,
})

/** A child is a component of the dynamic zone. */
const component = (node: Node, context: FormatContext) =>
  fieldsOf(node, { __component: `blocks.${node.datatype.name}`, id: node.entry.numeric_id }, context)

const ofRoute = ({ route }: ContentTree) => (route ? { title: route.title, slug: route.slug } : {})

/** The flat shape of version 5, with our id as `documentId`. */
export const strapi: Format = (tree, context) => {
  const { root } = tree
  const document = nestedJson(
    root,
    childrenKey,
    node =>
      node === root
        ? fieldsOf(
            node,
            {
              id: node.entry.numeric_id,
              documentId: node.entry.content_data_id,
              ...ofRoute(tree),
              ...dates(node, context.locale),
            },
            context,
          )
        : component(node, context),
    () => true,
  )
  return `{"data":${document},"meta":{}}`
}
