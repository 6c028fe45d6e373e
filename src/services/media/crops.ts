import { z } from 'zod'
import type { StoredCrop } from '../../db/content-tables.js'
import type { MediaRow } from '../../db/queries/media.js'
import { badRequest, invalid } from '../../errors.js'
import { limits } from '../../limits.js'
import type { ImageFacts, Images, Log, TemporaryFile } from '../../ports.js'
import { readable } from './rendering.js'
import { isNeverDecoded, optimised } from './variants.js'

const { sidePixels } = limits.media
const from = z.int().min(0).max(sidePixels)
const length = z.int().min(1).max(sidePixels)

/** A part of an image, in pixels of the uploaded image as it is shown, so after the rotation of the camera. */
export const MediaCrop = z
  .object({ x: from, y: from, width: length, height: length })
  .meta({ description: 'In pixels of the uploaded image, after the rotation of the camera.' })
export type MediaCrop = z.output<typeof MediaCrop>

/** Whether an item may be cropped, unless it is an animation. */
export const isCroppable = ({
  mimetype,
  variants_omitted,
}: {
  mimetype: string
  variants_omitted?: true | undefined
}): boolean => optimised.has(mimetype) && variants_omitted !== true

/** @throws 400 for a file that cannot be cropped */
export function refuseUncroppable({ mimetype }: Pick<MediaRow, 'mimetype'>): void {
  if (!optimised.has(mimetype)) throw badRequest('only png, jpg, webp and gif images can be cropped')
}

/** @throws 400 for a part that is not inside the image */
function refuseOutside({ x, y, width, height }: MediaCrop, image: ImageFacts): void {
  const size = `${image.width} × ${image.height} pixels`
  if (x + width > image.width) throw invalid('width', `must end inside the image, which has ${size}`)
  if (y + height > image.height) throw invalid('height', `must end inside the image, which has ${size}`)
}

const isWhole = ({ width, height }: MediaCrop, image: ImageFacts): boolean =>
  width === image.width && height === image.height

/** An image to be put at the address of an item. `crop` is null for the whole one, whose file is `source` itself. */
export interface Cropped {
  readonly file: TemporaryFile
  readonly crop: StoredCrop | null
}

/**
 * Cuts a part out of an image.
 * @param part null for the whole image
 * @throws 400 for a part outside of the image, an animation, and an image that is too large or cannot be read
 */
export async function croppedFile(
  { images, log }: { images: Images; log: Log },
  { source, mimetype, part }: { source: TemporaryFile; mimetype: string; part: MediaCrop | null },
): Promise<Cropped> {
  if (part === null) return { file: source, crop: null }
  const facts = await readable(log, images.inspect(source.path))
  if (facts.frames > 1) throw badRequest('animations cannot be cropped')
  if (isNeverDecoded(facts)) throw badRequest('the image is too large to be cropped')
  refuseOutside(part, facts)
  if (isWhole(part, facts)) return { file: source, crop: null }
  const file = await readable(log, images.crop(source.path, mimetype, facts, part))
  return { file, crop: { ...part, uncropped_width: facts.width, uncropped_height: facts.height } }
}

/** One side of an image: the place of its part in the uploaded image. */
interface Side {
  readonly start: number
  readonly length: number
}

/** Returns a coordinate of the focal point in another part of the image; null outside of it, so its middle counts. */
function focalIn(focal: number | null, before: Side, after: Side): number | null {
  if (focal === null) return null
  const at = before.start + (focal / 100) * before.length
  const percent = Math.round(((at - after.start) / after.length) * 100)
  return percent < 0 || percent > 100 ? null : percent
}

const sideOf = (start: number | undefined, length: number | undefined, whole: number): Side => ({
  start: start ?? 0,
  length: length ?? whole,
})

/** Returns the focal point of an item after it is cropped, which stays on the same thing. */
export function movedFocal(row: MediaRow, crop: StoredCrop | null): { x: number | null; y: number | null } {
  const { focal_x, focal_y, crop: old } = row
  const width = old?.uncropped_width ?? row.width ?? 1
  const height = old?.uncropped_height ?? row.height ?? 1
  const [x, y] = [
    focalIn(focal_x, sideOf(old?.x, old?.width, width), sideOf(crop?.x, crop?.width, width)),
    focalIn(focal_y, sideOf(old?.y, old?.height, height), sideOf(crop?.y, crop?.height, height)),
  ]
  return x === null || y === null ? { x: null, y: null } : { x, y }
}

const cropText = ({ crop }: Pick<MediaRow, 'crop'>): string =>
  crop ? `${crop.x} ${crop.y} ${crop.width} ${crop.height}` : ''

/** Whether both rows show the same image. The hash is that of the uploaded file. */
export const hasSameImage = (one: MediaRow, other: MediaRow): boolean =>
  one.content_hash === other.content_hash &&
  one.uncropped_key === other.uncropped_key &&
  cropText(one) === cropText(other)
