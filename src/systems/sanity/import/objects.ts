import { datatypeName } from '../../../services/body-parts.js'
import { type Json, memberOf, memberText } from '../../imports.js'

/** The kinds of values in documents of Sanity. */

export type SanityObject = Json

export const typeOf = (value: unknown): string | undefined => memberText(value, '_type')

/** The document that a reference names; undefined for references into other datasets. */
export const referenceOf = (value: unknown): string | undefined =>
  memberOf(value, '_dataset') === undefined && memberOf(value, '_projectId') === undefined
    ? memberText(value, '_ref')?.replace(/^drafts\./, '')
    : undefined

/**
 * The id of an asset that an image or file names, such as `image-<hash>-640x480-jpg`; `image@<address>` for a file from
 * elsewhere.
 */
export function assetOf(value: unknown): string | undefined {
  const placeholder = memberText(value, '_sanityAsset')
  if (placeholder === undefined) {
    const id = referenceOf(memberOf(value, 'asset'))
    return id !== undefined && /^(?:image|file)-/.test(id) ? id : undefined
  }
  const [, kind, address = ''] = /^(image|file)@(.+)$/.exec(placeholder) ?? []
  if (kind === undefined) return undefined
  return address.startsWith('file:') ? assetAt(kind, address) : placeholder
}

/** The id of an asset by the name of its file. Where the ending has a digit, as in `mp4`, it is `<hash>-mp4.bin`. */
export function assetAt(kind: string, path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const odd = /^[0-9a-f]{40}-[a-z0-9]+(?=\.bin$)/.exec(name)?.[0]
  return `${kind}-${odd ?? name.replace(/\.([^.]*)$/, '-$1')}`
}

export const isImage = (value: unknown): boolean =>
  /^image[-@]/.test(assetOf(value) ?? typeOf(value)?.concat('-') ?? '')
/** An image or file, perhaps without an asset yet. */
export const isMedia = (value: unknown): value is SanityObject =>
  assetOf(value) !== undefined || /^(?:image|file)$/.test(typeOf(value) ?? '')

/** A paragraph of Portable Text. */
export const isBlock = (value: unknown): value is SanityObject =>
  Array.isArray(memberOf(value, 'children')) &&
  (typeOf(value) === 'block' || Array.isArray(memberOf(value, 'markDefs')))

/** Types of objects that are values, not parts of a page that somebody has modelled. */
const valueTypes: ReadonlySet<string> = new Set([
  'block',
  'span',
  'slug',
  'geopoint',
  'image',
  'file',
  'reference',
])

/** True if an object in a list is a part of a page: its type can be a datatype. */
export function isPart(value: unknown): value is SanityObject {
  const type = typeOf(value)
  if (type === undefined || valueTypes.has(type) || /^internationalizedArray/.test(type)) return false
  if (assetOf(value) !== undefined || memberOf(value, '_ref') !== undefined) return false
  return datatypeName.safeParse(type).success
}

/** Members that content has: names with `_` in front are Sanity's own. */
export const contentOf = (value: SanityObject): [string, unknown][] =>
  Object.entries(value).filter(
    ([name, member]) => !name.startsWith('_') && member !== null && member !== undefined,
  )
