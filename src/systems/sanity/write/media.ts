import type { MediaRecord } from '../../../services/media/record.js'

const pictures: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
}

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** An id as libraries for pictures of Sanity read it: as a number, for they know hexadecimal digits alone. */
export const hexOf = (id: string): string =>
  [...id]
    .reduce((sum, digit) => sum * 32n + BigInt(digits.indexOf(digit)), 0n)
    .toString(16)
    .padStart(32, '0')

function idOfHex(hex: string): string {
  let [left, id] = [BigInt(`0x${hex}`), '']
  for (; id.length < 26; left /= 32n) id = digits.charAt(Number(left % 32n)) + id
  return id
}

/** The name of an asset. An image has its size and ending in it, because image libraries read them there. */
export function assetName({ media_id, mimetype, width, height, name }: MediaRecord): {
  readonly kind: 'image' | 'file'
  readonly id: string
  readonly size: string
  readonly extension: string
} {
  const hex = hexOf(media_id)
  const ending = pictures[mimetype]
  if (ending !== undefined && width !== null && height !== null) {
    const size = `${width}x${height}`
    return { kind: 'image', id: `image-${hex}-${size}-${ending}`, size, extension: ending }
  }
  const extension = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : 'bin'
  return { kind: 'file', id: `file-${hex}-${extension}`, size: '', extension }
}

/** An image, or else a file. */
export function assetOf(media: MediaRecord): Record<string, unknown> {
  const { focal_x, focal_y, alt_text, url } = media
  const { kind, id } = assetName(media)
  const asset = { _type: 'reference', _ref: id }
  if (kind === 'file') return { _type: 'file', asset, url }
  return {
    _type: 'image',
    asset,
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

/** Where a client thinks that it is. */
export interface SanityPlace {
  /** A locale's code chooses it; any other name means the default one. */
  readonly dataset: string
  readonly images: string
}

/** The id of the media item that a reference such as `image-<hex>-640x480-jpg` names. */
export function assetId(reference: unknown): string | undefined {
  const hex =
    typeof reference === 'string' ? /^(?:image|file)-([0-9a-f]{32})-/.exec(reference)?.[1] : undefined
  return hex === undefined ? undefined : idOfHex(hex)
}

export const metadataOf = (width: number, height: number) => ({
  _type: 'sanity.imageMetadata',
  dimensions: { _type: 'sanity.imageDimensions', width, height, aspectRatio: width / height },
})

/** The document of an asset; the address of a picture takes parameters for its size. */
export function assetDocument(media: MediaRecord, images: string): Record<string, unknown> {
  const { kind, id, size, extension } = assetName(media)
  const { width, height } = media
  const hex = hexOf(media.media_id)
  const path = `${hex}-${size}.${extension}`
  return {
    _id: id,
    _type: `sanity.${kind}Asset`,
    _rev: media.date_modified.replaceAll(/\D/g, ''),
    _createdAt: media.date_created,
    _updatedAt: media.date_modified,
    assetId: hex,
    originalFilename: media.name,
    ...{ extension, mimeType: media.mimetype, size: media.size },
    url: kind === 'image' ? `${images}/${path}` : media.url,
    ...(media.display_name ? { title: media.display_name } : {}),
    ...(media.alt_text ? { altText: media.alt_text } : {}),
    ...(media.description ? { description: media.description } : {}),
    ...(kind === 'image' && width !== null && height !== null ? { metadata: metadataOf(width, height) } : {}),
  }
}
