import { type ContentTree, type Node, nestedJson } from '../content-tree.js'
import { addByName, childrenKey, type Format, type FormatContext, valuesIn } from './format.js'
import { changedAt, type References, typedValue } from './typed-value.js'

type Written = Record<string, unknown>

/** What version 4 and version 5 write in their own way. */
interface Version {
  /** The members of the document that say which it is. */
  identify(root: Node): Written
  reference(references: References): unknown
}

function targetsOf({ ids, many }: References): unknown {
  const targets = ids.map(documentId => ({ documentId }))
  return many ? targets : (targets[0] ?? null)
}

const version5: Version = {
  identify: ({ entry }) => ({ id: entry.numeric_id, documentId: entry.content_data_id }),
  reference: targetsOf,
}

const version4: Version = {
  // The number stands beside the attributes. Front ends merge both, so its name is taken here, too.
  identify: () => ({ id: undefined, documentId: undefined }),
  reference: references => ({ data: targetsOf(references) }),
}

/** The document with its children as a dynamic zone, a component each. */
function documentOf({ route, root }: ContentTree, { locale }: FormatContext, version: Version): string {
  const document = (): Written => ({
    ...version.identify(root),
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
        return typed.kind === 'plain' ? typed.json : version.reference(typed)
      })
    },
    () => true,
  )
}

/** The flat shape of version 5, with our id as `documentId`. */
export const strapi: Format = (tree, context) => `{"data":${documentOf(tree, context, version5)},"meta":{}}`

/** The shape of version 4, with everything but the number under `attributes`. */
export const strapiV4: Format = (tree, context) =>
  `{"data":{"id":${tree.root.entry.numeric_id},"attributes":${documentOf(tree, context, version4)}},"meta":{}}`
