import type { MediaRecord } from '../../../services/media/record.js'
import { assetName, hexOf, idOfHex } from './media.js'

/** Where a client thinks that it is. */
export interface SanityPlace {
  /** A locale's code chooses it; any other name means the default one. */
  readonly dataset: string
  /** What the addresses of pictures begin with. */
  readonly images: string
}

/** The id of the media item that a reference such as `image-<hex>-640x480-jpg` names. */
export function assetId(reference: unknown): string | undefined {
  const hex =
    typeof reference === 'string' ? /^(?:image|file)-([0-9a-f]{32})-/.exec(reference)?.[1] : undefined
  return hex === undefined ? undefined : idOfHex(hex)
}

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
    ...(kind === 'image' && width !== null && height !== null
      ? {
          metadata: {
            _type: 'sanity.imageMetadata',
            dimensions: { _type: 'sanity.imageDimensions', width, height, aspectRatio: width / height },
          },
        }
      : {}),
  }
}
