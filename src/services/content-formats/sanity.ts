import { type Node, nestedJson } from '../content-tree.js'
import { addByName, childrenKey, type Format, valuesIn } from './format.js'
import { changedAt, type References, typedValue } from './typed-value.js'

/** Changes with the entry and with its values, and only then. Their number tells that one was deleted. */
const revisionOf = (node: Node): string =>
  `${node.entry.revision}-${node.values.length}-${changedAt(node).replaceAll(/\D/g, '')}`

function referenceOf({ kind, ids, many }: References): unknown {
  const one = (_ref: string) => {
    const reference = { _type: 'reference', _ref }
    return kind === 'media' ? { _type: 'image', asset: reference } : reference
  }
  if (!many || ids.length === 0) return ids[0] && one(ids[0])
  const keys = new Set<string>()
  return ids.map((id, i) => {
    // A key is unique in its array, and an id may be there twice.
    const _key = keys.has(id) ? `${id}-${i}` : id
    keys.add(id)
    return { _key, ...one(id) }
  })
}

/** The document itself, children as a keyed array (`_key` is the entry's id, so it is the same on every read). */
export const sanity: Format = ({ route, root }, { locale }) =>
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
              _rev: revisionOf(node),
              _createdAt: entry.date_created,
              _updatedAt: changedAt(node),
              ...(route ? { title: route.title, slug: { _type: 'slug', current: route.slug } } : {}),
            }
          : { _key: entry.content_data_id, _type: datatype.name }
      return addByName(own, valuesIn(node, locale), value => {
        const typed = typedValue(value)
        if (typed.kind === 'empty') return undefined
        if (typed.kind !== 'plain') return referenceOf(typed)
        return value.field.field_type === 'slug' ? { _type: 'slug', current: typed.json } : typed.json
      })
    },
    node => node === root,
  )
