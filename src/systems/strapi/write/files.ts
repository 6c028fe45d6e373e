import type { MediaRecord } from '../../../services/media/record.js'
import { nothing, only, type StrapiShown, type Written } from './shown.js'

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

export function attributesOfFile(media: MediaRecord): Written {
  return {
    name: media.display_name || media.name,
    alternativeText: media.alt_text || null,
    caption: media.caption || null,
    focalPoint:
      media.focal_x === null || media.focal_y === null ? null : { x: media.focal_x, y: media.focal_y },
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
export const strapiFile = (
  media: MediaRecord,
  shown: StrapiShown = nothing,
  ids?: ReadonlyMap<string, string>,
): Written => ({
  id: media.numeric_id,
  documentId: ids?.get(media.media_id) ?? media.media_id,
  ...only(attributesOfFile(media), shown),
  ...only({ publishedAt: media.date_created }, shown),
})
