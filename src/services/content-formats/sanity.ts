import { type Node, nestedJson, walk } from '../content-tree.js'
import { addByName, childrenKey, valuesIn, whole } from './format.js'
import { changedAt, type References, typedValue } from './typed-value.js'

/** Changes with every entry of the document and its values, and only then. The numbers tell of what was deleted. */
function revisionOf(root: Node): string {
  let [entries, values, revisions, newest] = [0, 0, 0, '']
  for (const node of walk(root)) {
    entries++
    values += node.values.length
    revisions += node.entry.revision
    const changed = changedAt(node)
    if (changed > newest) newest = changed
  }
  return `${entries}-${values}-${revisions}-${newest.replaceAll(/\D/g, '')}`
}

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
export const sanity = whole(({ route, root }, context) =>
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
      return addByName(own, valuesIn(node, context), value => {
        const typed = typedValue(value)
        if (typed.kind === 'empty') return undefined
        if (typed.kind === 'rich')
          return context.richText?.toPortableText(typed.html, value.value.content_field_id)
        if (typed.kind !== 'plain') return referenceOf(typed)
        return value.field.field_type === 'slug' ? { _type: 'slug', current: typed.json } : typed.json
      })
    },
    node => node === root,
  ),
)
