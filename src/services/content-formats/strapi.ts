import { type ContentTree, type Node, nestedJson } from '../content-tree.js'
import { addByName, childrenKey, type Format, type FormatContext, valuesIn } from './format.js'
import { changedAt, type References, typedValue } from './typed-value.js'

type Written = Record<string, unknown>

function targetsOf({ ids, many }: References): unknown {
  const targets = ids.map(documentId => ({ documentId }))
  return many ? targets : (targets[0] ?? null)
}

/** The document with its children as a dynamic zone, a component each. */
function documentOf({ route, root }: ContentTree, { locale }: FormatContext): string {
  const document = (): Written => ({
    id: root.entry.numeric_id,
    documentId: root.entry.content_data_id,
    ...(route ? { title: route.title, slug: route.slug } : {}),
    createdAt: root.entry.date_created,
    updatedAt: changedAt(root),
    publishedAt: root.entry.status === 'published' ? root.entry.published_at : null,
    locale: locale || null,
  })
  const component = ({ entry, datatype }: Node): Written => ({
    __component: `blocks.${datatype.name}`,
    id: entry.numeric_id,
  })
  return nestedJson(
    root,
    childrenKey,
    node => {
      const own = node === root ? document() : component(node)
      return addByName(own, valuesIn(node, locale), value => {
        const typed = typedValue(value)
        if (typed.kind === 'empty') return null
        return typed.kind === 'plain' ? typed.json : targetsOf(typed)
      })
    },
    () => true,
  )
}

/** The flat shape of version 5, with our id as `documentId`. */
export const strapi: Format = (tree, context) => `{"data":${documentOf(tree, context)},"meta":{}}`
