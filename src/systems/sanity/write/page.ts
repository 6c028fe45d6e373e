import {
  addByName,
  childrenKey,
  childrenNameOf,
  type FormatContext,
  typeNameOf,
  valuesIn,
  whole,
} from '../../../services/delivery/formats/format.js'
import { changedAt, type References, typedValue } from '../../../services/delivery/formats/typed-value.js'
import { mediaNamed } from '../../../services/delivery/page-media.js'
import {
  type ContentTree,
  type Node,
  type NodeValue,
  nestedJson,
  walk,
} from '../../../services/delivery/tree.js'
import type { MediaRecord } from '../../../services/media/record.js'
import { portableTextOf, toPortableText } from '../rich-text.js'
import { assetOf } from './media.js'

/** Changes with every entry of the document, its values and media, and only then. The counts change with deletions. */
function revisionOf(root: Node, media: Iterable<MediaRecord>): string {
  let [entries, values, revisions, newest] = [0, 0, 0, '']
  for (const node of walk(root)) {
    entries++
    values += node.values.length
    revisions += node.entry.revision
    const changed = changedAt(node)
    if (changed > newest) newest = changed
  }
  for (const { date_modified } of media) if (date_modified > newest) newest = date_modified
  return `${entries}-${values}-${revisions}-${newest.replaceAll(/\D/g, '')}`
}

function referenceOf(
  { kind, ids, many }: References,
  media: FormatContext['media'],
  isWeak = false,
): unknown {
  const weak = isWeak ? { _weak: true } : {}
  const shown = ids.flatMap(id => {
    if (kind === 'relation') return { id, value: { _type: 'reference', _ref: id, ...weak } }
    const found = media.get(id)
    return found ? { id, value: assetOf(found) } : []
  })
  if (!many || shown.length === 0) return shown[0]?.value
  const keys = new Set<string>()
  return shown.map(({ id, value }, i) => {
    // A key is unique in its array, and an id may be there twice.
    const _key = keys.has(id) ? `${id}-${i}` : id
    keys.add(id)
    return { _key, ...value }
  })
}

function shownValue(value: NodeValue, { rich, media }: FormatContext): unknown {
  if (value.value.field_value === '[]') return []
  // A time is a text there, with its own zone.
  if (value.field.field_type === 'datetime' && value.value.field_value !== '') return value.value.field_value
  const typed = typedValue(value)
  if (typed.kind === 'empty') return undefined
  if (typed.kind === 'rich')
    return rich?.get(value.value) ?? toPortableText(typed.html, value.value.content_field_id, media)
  if (typed.kind !== 'plain') return referenceOf(typed, media)
  return value.field.field_type === 'slug' ? { _type: 'slug', current: typed.json } : typed.json
}

interface SanityShown {
  readonly wanted: ReadonlySet<string> | undefined
  isSeen(id: string): boolean
  readonly isDraft: boolean
  /** Imported documents have the members that they had, and none of the entry and its page beside them. */
  readonly isImported: boolean
}

/**
 * The document as its own clients know it: fields called `title` and `slug` are themselves, without them those of the
 * route stand there, whose path has no slash in front. Children are whole.
 */
export function sanityDocument(
  { route, root }: ContentTree,
  context: FormatContext,
  { wanted, isSeen, isDraft, isImported }: SanityShown,
): Record<string, unknown> {
  const valuesOf = (node: Node, names: ReadonlySet<string> | undefined, own: Record<string, unknown>) =>
    addByName(
      own,
      valuesIn(node, context).filter(({ field }) => !names || names.has(field.name)),
      value => {
        if (value.field.field_type !== 'relation' || value.value.field_value === '[]')
          return shownValue(value, context)
        const typed = typedValue(value)
        const isWeak = context.weak?.has(value.field.field_id)
        return typed.kind === 'relation'
          ? referenceOf({ ...typed, ids: typed.ids.filter(isSeen) }, context.media, isWeak)
          : undefined
      },
    )
  const childOf = (node: Node): Record<string, unknown> => ({
    ...valuesOf(node, undefined, { _key: node.entry.content_data_id, _type: typeNameOf(node, context) }),
    ...(node.children.length > 0 ? { [childrenNameOf(node, context)]: node.children.map(childOf) } : {}),
  })
  const { entry, values } = root
  // Sanity has no parts of seconds.
  const timeOf = (time: string) => (isImported ? time.replace(/\.000Z$/, 'Z') : time)
  const fields = new Set(values.map(({ field }) => field.name))
  const isPublished = entry.status === 'published' && entry.published_at !== null
  const childrenName = childrenNameOf(root, context)
  // An imported document with a slug of its own has a page for that.
  const hasSlug = isImported && values.some(({ field }) => field.field_type === 'slug')
  const ofRoute = route &&
    !hasSlug && {
      title: route.title,
      slug: { _type: 'slug', current: route.slug.slice(1) || '/' },
    }
  const members = {
    _id: entry.content_data_id,
    _type: typeNameOf(root, context),
    ...(isDraft ? { _originalId: `drafts.${entry.content_data_id}` } : {}),
    _rev: revisionOf(root, mediaIn(root, context)),
    _createdAt: timeOf(entry.date_created),
    _updatedAt: timeOf(changedAt(root)),
    ...(isPublished && !isImported ? { publishedAt: entry.published_at } : {}),
    ...ofRoute,
    ...(root.children.length > 0 ? { [childrenName]: root.children.map(childOf) } : {}),
  }
  const own = Object.entries(members).filter(
    ([name]) => (!wanted || wanted.has(name)) && (name === childrenName || !fields.has(name)),
  )
  return valuesOf(root, wanted, Object.fromEntries(own))
}

function* mediaIn(root: Node, { media }: FormatContext): Generator<MediaRecord> {
  for (const { values } of walk(root))
    for (const value of values)
      for (const id of mediaNamed(value)) {
        const found = media.get(id)
        if (found) yield found
      }
}

/** The document itself, children as a keyed array (`_key` is the entry's id, so it is the same on every read). */
export const sanity = whole(
  ({ route, root }, context) =>
    nestedJson(
      root,
      childrenKey,
      node => {
        const { entry, datatype } = node
        const own: Record<string, unknown> =
          node === root
            ? {
                _id: entry.content_data_id,
                _type: datatype.name,
                _rev: revisionOf(node, context.media.values()),
                _createdAt: entry.date_created,
                _updatedAt: changedAt(node),
                ...(route ? { title: route.title, slug: { _type: 'slug', current: route.slug } } : {}),
              }
            : { _key: entry.content_data_id, _type: datatype.name }
        return addByName(own, valuesIn(node, context), value => shownValue(value, context))
      },
      node => node === root,
    ),
  portableTextOf,
)
