import { type Node, nestedJson } from '../content-tree.js'
import { addByName, childrenKey, type Format, valuesIn } from './format.js'
import { isReferences, type References, typedValue } from './typed-value.js'

/** Changes with the entry and with its values, and only then. */
function revisionOf({ entry, values }: Node): string {
  const newest = values.reduce((latest, { value }) => {
    return value.date_modified > latest ? value.date_modified : latest
  }, '')
  return `${entry.revision}-${newest.replaceAll(/\D/g, '')}`
}

function referenceOf({ kind, ids, many }: References): unknown {
  const one = (id: string) => {
    const reference = { _type: 'reference', _ref: id }
    return kind === 'media' ? { _type: 'file', asset: reference } : reference
  }
  if (!many) return ids[0] && one(ids[0])
  return ids.map(id => ({ _key: id, ...one(id) }))
}

/** The document itself, children as a keyed array (`_key` is the entry's id, so it is the same on every read). */
export const sanity: Format = ({ route, root }, { locale }) =>
  nestedJson(
    root,
    childrenKey,
    node => {
      const { entry, datatype } = node
      const document: Record<string, unknown> =
        node === root
          ? {
              _id: entry.content_data_id,
              _type: datatype.name,
              _rev: revisionOf(node),
              _createdAt: entry.date_created,
              _updatedAt: entry.date_modified,
              ...(route ? { title: route.title, slug: { _type: 'slug', current: route.slug } } : {}),
            }
          : { _key: entry.content_data_id, _type: datatype.name }
      return addByName(document, valuesIn(node, locale), value => {
        const typed = typedValue(value)
        if (typed === null) return undefined
        if (isReferences(typed)) return referenceOf(typed)
        return value.field.field_type === 'slug' ? { _type: 'slug', current: typed } : typed
      })
    },
    node => node === root,
  )
