import type { MediaRecord } from '../../media/record.js'
import { type ContentTree, type Node, nestedJson, walk } from '../tree.js'
import { addByName, childrenKey, type FormatContext, valuesIn, whole } from './format.js'
import { changedAt, type References, typedValue } from './typed-value.js'

type Written = Record<string, unknown>
type Nodes = ReadonlyMap<string, Node>

interface Writing {
  readonly context: FormatContext
  readonly inTree: Nodes
  /** The response format of Strapi 4 wraps every document that is referred to. */
  readonly wrapped: boolean
}

/** The members of a document that are fields to its reader. */
const attributesOf = (
  { entry, values }: Pick<Node, 'entry' | 'values'>,
  route: ContentTree['route'],
): Written => ({
  ...(route ? { title: route.title, slug: route.slug } : {}),
  createdAt: entry.date_created,
  updatedAt: changedAt({ entry, values }),
  publishedAt: entry.status === 'published' ? entry.published_at : null,
})

/** Kilobytes with two decimals, which is how sizes are given there. */
const kilobytes = (bytes: number) => Math.round(bytes / 10) / 100
const endOf = (name: string) => (name.includes('.') ? name.slice(name.lastIndexOf('.')) : '')

/** Our presets are its formats, each in the image's own type. */
function formatsOf({ media_id, name, mimetype, variants }: MediaRecord) {
  const own = variants.filter(variant => variant.mimetype === mimetype)
  if (own.length === 0) return null
  return Object.fromEntries(
    own.map(variant => [
      variant.name,
      {
        name: `${variant.name}_${name}`,
        hash: `${variant.name}_${media_id}`,
        ext: endOf(variant.url),
        mime: variant.mimetype,
        path: null,
        width: variant.width,
        height: variant.height,
        size: kilobytes(variant.size),
        sizeInBytes: variant.size,
        url: variant.url,
      },
    ]),
  )
}

function fileOf(media: MediaRecord, wrapped: boolean): unknown {
  const attributes = {
    name: media.display_name || media.name,
    alternativeText: media.alt_text || null,
    caption: media.caption || null,
    width: media.width,
    height: media.height,
    formats: formatsOf(media),
    hash: media.media_id,
    ext: endOf(media.name),
    mime: media.mimetype,
    size: kilobytes(media.size),
    url: media.url,
    previewUrl: null,
    provider: 'slugline',
    provider_metadata: null,
    createdAt: media.date_created,
    updatedAt: media.date_modified,
  }
  const { numeric_id: id, media_id: documentId } = media
  return wrapped ? { id, attributes } : { id, documentId, ...attributes, publishedAt: media.date_created }
}

function filesOf({ ids, many }: References, { context, wrapped }: Writing): unknown {
  const files = ids.flatMap(id => {
    const found = context.media.get(id)
    return found ? [fileOf(found, wrapped)] : []
  })
  const data = many ? (files.length > 0 ? files : null) : (files[0] ?? null)
  return wrapped ? { data } : data
}

/** Relations come populated, one level deep; what they refer to in their turn is named only. */
function targetsOf({ ids, many }: References, writing: Writing, deeper: boolean): unknown {
  const { context, inTree, wrapped } = writing
  const targets = ids.flatMap(id => {
    const own = inTree.get(id)
    const target = context.linked.get(id) ?? (own && { node: own, route: undefined })
    if (!target) return []
    const plain = attributesOf(target.node, target.route)
    const attributes = deeper ? addValues(plain, target.node, writing, false) : plain
    const { numeric_id, content_data_id } = target.node.entry
    return [
      wrapped
        ? { id: numeric_id, attributes }
        : { id: numeric_id, documentId: content_data_id, ...attributes },
    ]
  })
  const data = many ? targets : (targets[0] ?? null)
  return wrapped ? { data } : data
}

function addValues(into: Written, node: Node, writing: Writing, deeper: boolean): Written {
  return addByName(into, valuesIn(node, writing.context), value => {
    const typed = typedValue(value)
    if (typed.kind === 'empty') return null
    if (typed.kind === 'plain') return typed.json
    if (typed.kind === 'rich') return typed.html
    if (typed.kind === 'relation') return targetsOf(typed, writing, deeper)
    return filesOf(typed, writing)
  })
}

/** The document's fields, with its children as a dynamic zone, a component each. */
function pageOf({ route, root }: ContentTree, context: FormatContext, wrapped: boolean): string {
  const inTree = new Map([...walk(root)].map(node => [node.entry.content_data_id, node]))
  const { numeric_id, content_data_id } = root.entry
  return nestedJson(
    root,
    childrenKey,
    node => {
      const own =
        node === root
          ? {
              ...(wrapped ? {} : { id: numeric_id, documentId: content_data_id }),
              ...attributesOf(node, route),
              locale: context.locale || null,
            }
          : { __component: `blocks.${node.datatype.name}`, id: node.entry.numeric_id }
      return addValues(own, node, { context, inTree, wrapped }, true)
    },
    () => true,
  )
}

/** The flat shape of version 5, with our id as `documentId`. */
export const strapi = whole((tree, context) => `{"data":${pageOf(tree, context, false)},"meta":{}}`)

/** The shape of version 4, which Strapi 5 too gives under the header `Strapi-Response-Format: v4`. */
export const strapi4 = whole(
  (tree, context) =>
    `{"data":{"id":${tree.root.entry.numeric_id},"attributes":${pageOf(tree, context, true)}},"meta":{}}`,
)
