import type { MediaRecord } from '../../media/record.js'
import { atOnce, type Pieces } from '../../turns.js'
import { type ContentTree, type Node, nestedJson, walk } from '../tree.js'
import { addByName, childrenKey, type FormatContext, valuesIn, whole } from './format.js'
import { changedAt, type References, typedValue } from './typed-value.js'

type Written = Record<string, unknown>
type Nodes = ReadonlyMap<string, Node>

/**
 * Which references are written: `everything` as far as it was read, only `names` of entries with media in full, `one`
 * level with nothing behind it, none, or those that are named.
 */
export type Populate = 'everything' | 'names' | 'one' | 'none' | ReadonlyMap<string, StrapiShown>

/** How much of a document is written. */
export interface StrapiShown {
  /** Undefined for all fields. */
  readonly fields?: ReadonlySet<string> | undefined
  readonly populate: Populate
  /** Of a dynamic zone, how much of a component, by its name. */
  readonly on?: ReadonlyMap<string, StrapiShown> | undefined
}

interface Writing {
  readonly context: FormatContext
  readonly inTree: Nodes
  /** The response format of Strapi 4 wraps every document that is referred to. */
  readonly wrapped: boolean
  /** Whether slug and title are the own fields of these names, and that of the route has no slash in front. */
  readonly ownNames: boolean
}

const everything: StrapiShown = { populate: 'everything' }
const nothing: StrapiShown = { populate: 'none' }

/** What is behind a reference; undefined where it is not written at all. */
function behind({ populate }: StrapiShown, name: string): StrapiShown | undefined {
  if (typeof populate === 'object') return populate.get(name)
  if (populate === 'none') return undefined
  return populate === 'everything' ? { populate: 'names' } : nothing
}

/** The members of a document that are fields to its reader. */
function attributesOf(
  node: Pick<Node, 'entry' | 'values'>,
  route: ContentTree['route'],
  { ownNames }: Writing,
): Written {
  const { entry, values } = node
  const own = new Set(ownNames ? values.map(({ field }) => field.name) : [])
  const slug = route && ownNames ? route.slug.slice(1) || '/' : route?.slug
  return {
    ...(route && !own.has('title') ? { title: route.title } : {}),
    ...(route && !own.has('slug') ? { slug } : {}),
    createdAt: entry.date_created,
    updatedAt: changedAt({ entry, values }),
    publishedAt: entry.status === 'published' ? entry.published_at : null,
  }
}

const only = (written: Written, { fields }: StrapiShown): Written =>
  fields ? Object.fromEntries(Object.entries(written).filter(([name]) => fields.has(name))) : written

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

function attributesOfFile(media: MediaRecord): Written {
  return {
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
}

/** A file as the library lists it, which neither version wraps. */
export const strapiFile = (media: MediaRecord, shown: StrapiShown = nothing): Written => ({
  id: media.numeric_id,
  documentId: media.media_id,
  ...only(attributesOfFile(media), shown),
  ...only({ publishedAt: media.date_created }, shown),
})

function filesOf({ ids, many }: References, shown: StrapiShown, { context, wrapped }: Writing): unknown {
  const files = ids.flatMap(id => {
    const media = context.media.get(id)
    if (!media) return []
    return [
      wrapped
        ? { id: media.numeric_id, attributes: only(attributesOfFile(media), shown) }
        : strapiFile(media, shown),
    ]
  })
  const data = many ? (files.length > 0 ? files : null) : (files[0] ?? null)
  return wrapped ? { data } : data
}

/** What relations refer to, as far as it was read. */
function targetsOf({ ids, many }: References, shown: StrapiShown, isNamed: boolean, writing: Writing) {
  const { context, inTree, wrapped } = writing
  const targets = ids.flatMap(id => {
    const own = inTree.get(id)
    const target = context.linked.get(id) ?? (own && { node: own, route: undefined })
    if (!target) return []
    const plain = only(attributesOf(target.node, target.route, writing), shown)
    const attributes = isNamed ? plain : addValues(plain, target.node, writing, shown)
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

function addValues(into: Written, node: Node, writing: Writing, shown: StrapiShown): Written {
  return addByName(into, valuesIn(node, writing.context), value => {
    const { name, field_type } = value.field
    const isReference = field_type === 'relation' || field_type === 'media'
    const further = isReference ? behind(shown, name) : undefined
    // Undefined leaves it out; fields that are named do not choose among references.
    if (isReference ? !further : shown.fields && !shown.fields.has(name)) return undefined
    const typed = typedValue(value)
    if (typed.kind === 'empty') return null
    if (typed.kind === 'plain') return typed.json
    if (typed.kind === 'rich') return typed.html
    if (typed.kind === 'relation')
      return targetsOf(typed, further ?? nothing, shown.populate === 'names', writing)
    return filesOf(typed, further ?? nothing, writing)
  })
}

/** How much of a component is written. */
function ofComponent(zone: StrapiShown | undefined, root: StrapiShown, component: string): StrapiShown {
  if (root.populate === 'everything') return everything
  return zone?.on?.get(component) ?? { populate: zone?.populate ?? 'none' }
}

/** The document's fields, with its children as a dynamic zone, a component each. */
function* documentOf(
  { route, root }: ContentTree,
  context: FormatContext,
  { wrapped, ownNames }: Pick<Writing, 'wrapped' | 'ownNames'>,
  shown: StrapiShown,
): Pieces<string> {
  const inTree = new Map([...walk(root)].map(node => [node.entry.content_data_id, node]))
  const writing = { context, inTree, wrapped, ownNames }
  const { numeric_id, content_data_id } = root.entry
  const zone = behind(shown, childrenKey)
  const own = (node: Node) => {
    if (node === root) {
      const ids = wrapped ? {} : { id: numeric_id, documentId: content_data_id }
      const attributes = { ...attributesOf(root, route, writing), locale: context.locale || null }
      return addValues({ ...ids, ...only(attributes, shown) }, root, writing, shown)
    }
    const component = `blocks.${node.datatype.name}`
    const named = { __component: component, id: node.entry.numeric_id }
    return addValues(named, node, writing, ofComponent(zone, shown, component))
  }
  const attributes = zone ? yield* nestedJson(root, childrenKey, own, () => true) : JSON.stringify(own(root))
  return wrapped ? `{"id":${numeric_id},"attributes":${attributes}}` : attributes
}

/** A document of a list, in the shape of version 5 or `wrapped` of version 4. */
export const strapiDocument = (
  tree: ContentTree,
  context: FormatContext,
  wrapped: boolean,
  shown: StrapiShown,
): string => atOnce(documentOf(tree, context, { wrapped, ownNames: true }, shown))

const page = (wrapped: boolean) =>
  whole(function* (tree, context) {
    const data = yield* documentOf(tree, context, { wrapped, ownNames: false }, everything)
    return `{"data":${data},"meta":{}}`
  })

/** The flat shape of version 5, with our id as `documentId`. */
export const strapi = page(false)

/** The shape of version 4, which Strapi 5 too gives under the header `Strapi-Response-Format: v4`. */
export const strapi4 = page(true)
