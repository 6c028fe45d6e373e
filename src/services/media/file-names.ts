import { invalid } from '../../errors.js'
import { limits } from '../../limits.js'
import type { FileKind } from '../../ports.js'
import { trimmed } from '../text.js'

const maxNameBytes = limits.media.nameBytes

/** The endings that only one type may have, so that no file passes for what it is not. */
const endings: Readonly<Record<string, readonly string[]>> = {
  'image/jpeg': ['jpg', 'jpeg', 'jpe', 'jfif'],
  'image/png': ['png', 'apng'],
  'image/apng': ['png', 'apng'],
  'image/gif': ['gif'],
  'image/webp': ['webp'],
  'image/avif': ['avif'],
  'image/bmp': ['bmp'],
  'image/tiff': ['tif', 'tiff'],
  'image/svg+xml': ['svg'],
  'application/pdf': ['pdf'],
  'text/html': ['html', 'htm', 'xhtml'],
  'video/mp4': ['mp4', 'm4v'],
}
const taken = new Set(Object.values(endings).flat())

const endingOf = (name: string): string => /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/**
 * The name of an uploaded file, without the folders that some clients send along.
 * @throws 400 for a name that holds control characters, or is empty
 */
export function fileName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  if (/^[.\s]*$/.test(name)) throw invalid('file', 'has no name')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
  if (/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/.test(name) || !name.isWellFormed())
    throw invalid('file', 'its name must not have control characters')
  return name
}

/**
 * The name that a file is kept under, from one that `fileName` gave: of letters, digits, `-`, `_` and `.`, with an ending that fits its content.
 * @throws 400 when the name claims another type than the bytes show, or when these could pass for something else
 */
export function safeName(name: string, { mimetype, extension, alsoLooksLike }: FileKind): string {
  const ending = endingOf(name)
  const own = endings[mimetype]
  if (
    own
      ? ending !== '' && !own.includes(ending) && (taken.has(ending) || mimetype === 'text/html')
      : taken.has(ending)
  )
    throw invalid('file', `its name ends in .${ending}, but its content is ${mimetype}`)
  if (alsoLooksLike) throw invalid('file', `is ${mimetype}, but its content also matches ${alsoLooksLike}`)
  const end = ending || extension
  const named = ending ? name.slice(0, -ending.length - 1) : name
  let stem = trimmed(named.normalize('NFC').replaceAll(/[^\p{L}\p{N}\p{M}_-]+/gu, '-'), '-_')
  while (bytesOf(stem) > maxNameBytes) stem = stem.slice(0, -1)
  if (!stem.isWellFormed()) stem = stem.slice(0, -1)
  return `${stem || 'file'}${end ? `.${end}` : ''}`
}

/** Pictures, which a browser only ever shows. All else goes out as a download, so that none of it runs. */
const shown = new Set([
  'image/jpeg',
  'image/png',
  'image/apng',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
])
/** Types that a browser would run come out as bytes. */
const inert = new Set(['text/html', 'application/xml', 'application/xhtml+xml', 'text/javascript'])

/** How browsers get an object. */
export interface ServedAs {
  readonly mimetype: string
  readonly attachment: boolean
  /** Its address stays if its content changes. */
  readonly replaceable?: boolean
}

export const servedAs = (mimetype: string): ServedAs => ({
  replaceable: true,
  mimetype: inert.has(mimetype) ? 'application/octet-stream' : mimetype,
  attachment: !shown.has(mimetype),
})
