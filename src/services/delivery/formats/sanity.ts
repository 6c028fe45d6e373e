import type { MediaRecord } from '../../media/record.js'
import { portableTextOf, toPortableText } from '../rich-text/index.js'
import { type Node, nestedJson, walk } from '../tree.js'
import { addByName, childrenKey, type FormatContext, valuesIn, whole } from './format.js'
import { changedAt, type References, typedValue } from './typed-value.js'

/** Changes with every entry of the document, its values and media, and only then. The numbers tell of what was deleted. */
function revisionOf(root: Node, media: FormatContext['media']): string {
  let [entries, values, revisions, newest] = [0, 0, 0, '']
  for (const node of walk(root)) {
    entries++
    values += node.values.length
    revisions += node.entry.revision
    const changed = changedAt(node)
    if (changed > newest) newest = changed
  }
  for (const { date_modified } of media.values()) if (date_modified > newest) newest = date_modified
  return `${entries}-${values}-${revisions}-${newest.replaceAll(/\D/g, '')}`
}

const pictures: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
}

/** An image with its size and ending in the reference, which is where image libraries read them; else a file. */
function assetOf(media: MediaRecord): Record<string, unknown> {
  const { media_id, mimetype, width, height, focal_x, focal_y, alt_text, name, url } = media
  const ending = pictures[mimetype]
  const asset = (_ref: string) => ({ _type: 'reference', _ref })
  if (ending === undefined || width === null || height === null) {
    const extension = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : 'bin'
    return { _type: 'file', asset: asset(`file-${media_id}-${extension}`), url }
  }
  return {
    _type: 'image',
    asset: asset(`image-${media_id}-${width}x${height}-${ending}`),
    // Beside the reference, for inside of it image libraries would read it as one of Sanity's.
    url,
    ...(alt_text === '' ? {} : { alt: alt_text }),
    ...(focal_x === null || focal_y === null
      ? {}
      : {
          hotspot: { _type: 'sanity.imageHotspot', x: focal_x / 100, y: focal_y / 100, width: 1, height: 1 },
          crop: { _type: 'sanity.imageCrop', top: 0, bottom: 0, left: 0, right: 0 },
        }),
  }
}

function referenceOf({ kind, ids, many }: References, { media }: FormatContext): unknown {
  const shown = ids.flatMap(id => {
    if (kind === 'relation') return { id, value: { _type: 'reference', _ref: id } }
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
                _rev: revisionOf(node, context.media),
                _createdAt: entry.date_created,
                _updatedAt: changedAt(node),
                ...(route ? { title: route.title, slug: { _type: 'slug', current: route.slug } } : {}),
              }
            : { _key: entry.content_data_id, _type: datatype.name }
        return addByName(own, valuesIn(node, context), value => {
          const typed = typedValue(value)
          if (typed.kind === 'empty') return undefined
          if (typed.kind === 'rich')
            return context.rich?.get(value.value) ?? toPortableText(typed.html, value.value.content_field_id)
          if (typed.kind !== 'plain') return referenceOf(typed, context)
          return value.field.field_type === 'slug' ? { _type: 'slug', current: typed.json } : typed.json
        })
      },
      node => node === root,
    ),
  portableTextOf,
)
