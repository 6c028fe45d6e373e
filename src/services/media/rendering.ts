import type { ImageFit } from '../../db/content-tables.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { invalid } from '../../errors.js'
import type { ImageFacts, ImageFormat, Images, Log, RenderedImage } from '../../ports.js'
import { isNeverDecoded, optimised, refuseTooLarge, renditionsOf } from './variants.js'

/** Each coordinate counts as the middle where it is not set. */
export interface FocalGiven {
  readonly x: number | null
  readonly y: number | null
}

/** `fit` is that of its preset. */
export type FittedImage = RenderedImage & { readonly fit: ImageFit }

export interface Rendered {
  readonly facts: ImageFacts | undefined
  readonly images: readonly FittedImage[]
  readonly thumbhash: string | null
}

/** @throws 400 for an image that is damaged or takes too long */
export async function readable<T>(log: Log, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    log.warn({ err: error }, 'an image could not be rendered')
    const late = error instanceof Error && /timeout/i.test(error.message)
    throw invalid(
      'file',
      late ? 'the image takes too long to render' : 'the image is damaged or cannot be read',
    )
  }
}

interface RenderParts {
  db: Database
  images: Images
  log: Log
  formats: readonly ImageFormat[]
}

/**
 * Renders an image. Other files, and images that take too much memory to decode, stay as they are.
 * @throws 400 for an image that is too large or cannot be read
 */
export async function render(
  { db, images, log, formats }: RenderParts,
  { path, mimetype, focal }: { path: string; mimetype: string; focal: FocalGiven },
): Promise<Rendered> {
  if (!optimised.has(mimetype)) return { facts: undefined, images: [], thumbhash: null }
  const facts = await readable(log, images.inspect(path))
  refuseTooLarge(facts)
  if (isNeverDecoded(facts)) return { facts, images: [], thumbhash: null }
  const presets = await db.findAll(tables.mediaDimensions)
  const renditions = renditionsOf(facts, presets, { x: focal.x ?? 50, y: focal.y ?? 50 })
  const made = await readable(log, images.render(path, mimetype, facts, { renditions, formats }))
  const whole = new Set(presets.filter(({ fit }) => fit === 'inside').map(({ label }) => label))
  const fitted = made.images.map(image => ({
    ...image,
    fit: whole.has(image.name) ? ('inside' as const) : ('cover' as const),
  }))
  return { facts, images: fitted, thumbhash: made.thumbhash }
}
