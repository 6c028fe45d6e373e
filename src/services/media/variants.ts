import { badRequest } from '../../errors.js'
import { limits } from '../../limits.js'
import type { ImageFacts, Rendition } from '../../ports.js'

/** Types that are rendered; all others are stored as they are. */
export const optimised: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif'])

const { sidePixels: maxSide, pixels: maxPixels, frames: maxFrames } = limits.media
const maxPixelsDecodedWhole = limits.media.pixelsDecodedWhole

/** @throws 400 for an image beyond the limits */
export function refuseTooLarge({ width, height, frames }: ImageFacts): void {
  if (width > maxSide) throw badRequest(`image width ${width} exceeds maximum ${maxSide}`, 'file')
  if (height > maxSide) throw badRequest(`image height ${height} exceeds maximum ${maxSide}`, 'file')
  const pixels = width * height * frames
  if (pixels > maxPixels) throw badRequest(`image pixels ${pixels} exceed maximum ${maxPixels}`, 'file')
  if (frames > maxFrames) throw badRequest(`image frames ${frames} exceed maximum ${maxFrames}`, 'file')
}

type Size = { readonly width: number | null; readonly height: number | null }

const isLarge = ({ width, height }: Size): boolean => (width ?? 0) * (height ?? 0) > maxPixelsDecodedWhole

/** Whether decoding the image would take memory for all of its pixels at once, and too much of it. */
export const isNeverDecoded = (image: ImageFacts): boolean => image.whole && isLarge(image)

/** Whether a stored image has no variants and is so large that it may be one that is never decoded. */
export const isLeftUndecoded = (record: Size & { readonly variants: readonly unknown[] }): boolean =>
  record.variants.length === 0 && isLarge(record)

export interface Preset {
  readonly label: string
  readonly width: number
  readonly height: number
  /** `cover` fills the size and cuts what is over; `inside` keeps the whole image. */
  readonly fit: string
}

/** The point that stays in sight, in percent of the width and of the height. */
export interface FocalPoint {
  readonly x: number
  readonly y: number
}

/** Where a part of this length begins, so that the point is as near to its middle as the edges allow. */
const startOf = (point: number, length: number, whole: number): number =>
  Math.round(Math.min(Math.max((point / 100) * whole - length / 2, 0), whole - length))

function renditionOf(image: ImageFacts, preset: Preset, focal: FocalPoint): Rendition | undefined {
  const { label: name } = preset
  const [across, down] = [preset.width / image.width, preset.height / image.height]
  if (preset.fit === 'inside') {
    const scale = Math.min(across, down)
    if (scale > 1) return undefined
    const [width, height] = [image.width, image.height].map(side => Math.max(1, Math.round(side * scale)))
    if (!width || !height) return undefined
    return { name, width, height, part: { left: 0, top: 0, width: image.width, height: image.height } }
  }
  const scale = Math.max(across, down)
  if (scale > 1) return undefined
  const width = Math.min(image.width, Math.round(preset.width / scale))
  const height = Math.min(image.height, Math.round(preset.height / scale))
  const left = startOf(focal.x, width, image.width)
  const top = startOf(focal.y, height, image.height)
  return { name, width: preset.width, height: preset.height, part: { left, top, width, height } }
}

/** Returns the renditions to make of an image. A preset that would need upscaling is skipped. */
export const renditionsOf = (
  image: ImageFacts,
  presets: readonly Preset[],
  focal: FocalPoint = { x: 50, y: 50 },
): Rendition[] => presets.flatMap(preset => renditionOf(image, preset, focal) ?? [])
