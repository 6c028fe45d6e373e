import { z } from 'zod'
import { type ImageFit, imageFits, type StoredVariant } from '../../db/content-tables.js'
import type { MediaRow } from '../../db/queries/media.js'
import { isLeftUndecoded } from './variants.js'

const Variant = z.object({
  name: z.string(),
  width: z.int(),
  height: z.int(),
  fit: z.enum(imageFits),
  mimetype: z.string(),
  size: z.int(),
  url: z.string(),
})
/** A media item as everybody sees it: with addresses instead of the names of objects. */
export const MediaRecord = z
  .object({
    media_id: z.string(),
    numeric_id: z.int(),
    name: z.string(),
    display_name: z.string(),
    alt_text: z.string(),
    caption: z.string(),
    description: z.string(),
    mimetype: z.string(),
    size: z.int(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    focal_x: z.int().nullable(),
    focal_y: z.int().nullable(),
    url: z.string(),
    thumbhash: z.string().nullable().meta({
      description: 'A ThumbHash in Base64: a placeholder until the image is loaded. Null without variants.',
    }),
    variants: z.array(Variant),
    variants_omitted: z.literal(true).optional().meta({
      description:
        'The image has more than 100 megapixels and no variants, as where decoding it takes too much memory.',
    }),
    folder_id: z.string().nullable(),
    author_id: z.string(),
    date_created: z.string(),
    date_modified: z.string(),
  })
  .meta({ id: 'Media' })
export type MediaRecord = z.output<typeof MediaRecord>

export type MediaById = ReadonlyMap<string, MediaRecord>

/** Where it is not stored, a variant in the proportions of the image shows it whole. */
function fitOf({ width, height }: MediaRow, variant: StoredVariant): ImageFit {
  if (variant.fit) return variant.fit
  const whole = Math.round(((height ?? 0) * variant.width) / (width || 1))
  return Math.abs(whole - variant.height) <= 1 ? 'inside' : 'cover'
}

export function mediaRecord(row: MediaRow, urlOf: (key: string) => string): MediaRecord {
  const { object_key, content_hash, search_text, thumbhash, variants, folder_id, author_id, ...shown } = row
  const { date_created, date_modified, ...before } = shown
  return {
    ...before,
    url: urlOf(object_key),
    thumbhash,
    variants: variants.map(variant => {
      const { name, width, height, mimetype, size, key } = variant
      return { name, width, height, fit: fitOf(row, variant), mimetype, size, url: urlOf(key) }
    }),
    ...(isLeftUndecoded(row) && { variants_omitted: true }),
    folder_id,
    author_id,
    date_created,
    date_modified,
  }
}
