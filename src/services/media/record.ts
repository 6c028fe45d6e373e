import { z } from 'zod'
import { type ImageFit, imageFits, type StoredVariant } from '../../db/content-tables.js'
import type { MediaRow } from '../../db/queries/media.js'
import { MediaCrop } from './crops.js'
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
const translated = { alt_text: z.string(), caption: z.string(), display_name: z.string() }

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
    crop: MediaCrop.extend({ uncropped_width: z.int(), uncropped_height: z.int() })
      .optional()
      .meta({ description: 'The part of the uploaded image that is shown, if it is cropped.' }),
    thumbhash: z.string().nullable().meta({
      description: 'A ThumbHash in Base64: a placeholder until the image is loaded. Null without variants.',
    }),
    variants: z.array(Variant),
    variants_omitted: z.literal(true).optional().meta({
      description:
        'The image has no variants, because it has more than 100 megapixels or decoding it takes too much memory.',
    }),
    translations: z.record(z.string(), z.object(translated).partial()),
    tags: z.array(z.string()).optional().meta({ description: 'Left out without a tag.' }),
    folder_id: z.string().nullable(),
    author_id: z.string(),
    date_created: z.string(),
    date_modified: z.string(),
  })
  .meta({ id: 'Media' })
export type MediaRecord = z.output<typeof MediaRecord>

/** The names of all objects of an item. */
export const keysOf = ({ object_key, uncropped_key, variants }: MediaRow): string[] => [
  object_key,
  ...(uncropped_key === null ? [] : [uncropped_key]),
  ...variants.map(({ key }) => key),
]

export type MediaById = ReadonlyMap<string, MediaRecord>

/** Where it is not stored, a variant in the proportions of the image shows it whole. */
function fitOf({ width, height }: MediaRow, variant: StoredVariant): ImageFit {
  if (variant.fit) return variant.fit
  const whole = Math.round(((height ?? 0) * variant.width) / (width || 1))
  return Math.abs(whole - variant.height) <= 1 ? 'inside' : 'cover'
}

export function mediaRecord(row: MediaRow, urlOf: (key: string) => string): MediaRecord {
  const {
    object_key,
    content_hash,
    search_text,
    thumbhash,
    variants,
    translations,
    tags,
    crop,
    uncropped_key,
    folder_id,
    author_id,
    ...shown
  } = row
  const { date_created, date_modified, ...before } = shown
  return {
    ...before,
    url: urlOf(object_key),
    ...(crop && { crop }),
    thumbhash,
    variants: variants.map(variant => {
      const { name, width, height, mimetype, size, key } = variant
      return { name, width, height, fit: fitOf(row, variant), mimetype, size, url: urlOf(key) }
    }),
    ...(isLeftUndecoded(row) && { variants_omitted: true }),
    translations,
    ...(tags && { tags }),
    folder_id,
    author_id,
    date_created,
    date_modified,
  }
}

function mediaIn(media: MediaRecord, chain: readonly string[]): MediaRecord {
  const shown = { ...media }
  for (const member of ['alt_text', 'caption', 'display_name'] as const)
    shown[member] =
      chain.map(locale => media.translations[locale]?.[member]).find(text => text !== undefined) ??
      media[member]
  return shown
}

const isTranslated = ({ translations }: MediaRecord): boolean => Object.keys(translations).length > 0

/** Returns items with their texts in the best of the locales. */
export const shownMedia = (media: MediaById, chain: readonly string[]): MediaById =>
  chain.length > 0 && [...media.values()].some(isTranslated)
    ? new Map([...media].map(([id, one]) => [id, mediaIn(one, chain)]))
    : media

/** Returns items as they are stored, with translations only for locales that may be seen. */
export const storedMedia = (media: MediaById, isSeen: (locale: string) => boolean): MediaById =>
  new Map(
    [...media].map(([id, one]) => [
      id,
      {
        ...one,
        translations: Object.fromEntries(
          Object.entries(one.translations).filter(([locale]) => isSeen(locale)),
        ),
      },
    ]),
  )
