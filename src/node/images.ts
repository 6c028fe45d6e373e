import sharp, { type Sharp } from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'
import type { ImageFacts, ImageFormat, Images, RenderedImage, Rendition } from '../ports.js'
import { Semaphore } from '../semaphore.js'
import { temporaryFile } from './temporary-files.js'

// Only these four are ever decoded, whatever a file says that it is.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif'].flatMap(type =>
    ['File', 'Buffer'].map(from => `VipsForeignLoad${type}${from}`),
  ),
})
sharp.cache(false)

/** A second limit: the service refuses larger images before they come here. */
const maxPixels = 500_000_000
const timeoutSeconds = 15
/** Pixels up to which a scaled-down image is held in memory, so that all renditions are made of it. */
const maxPixelsInMemory = 40_000_000
const maxPixelsOfSmall = 25_000_000

const options = { limitInputPixels: maxPixels, failOn: 'warning', sequentialRead: true } as const

interface Encoder {
  readonly mimetype: string
  readonly extension: string
  encode(image: Sharp): Sharp
}

const webp: Encoder = {
  mimetype: 'image/webp',
  extension: 'webp',
  encode: image => image.webp({ quality: 80 }),
}
const own: Readonly<Record<string, Encoder>> = {
  'image/jpeg': { mimetype: 'image/jpeg', extension: 'jpg', encode: image => image.jpeg({ quality: 80 }) },
  'image/png': { mimetype: 'image/png', extension: 'png', encode: image => image.png() },
  'image/gif': { mimetype: 'image/gif', extension: 'gif', encode: image => image.gif() },
  'image/webp': webp,
}
const others: Readonly<Record<ImageFormat, Encoder>> = {
  webp,
  // Effort 2 takes as long as WebP; the default of 4 takes fourteen times as long and saves 6 %.
  avif: {
    mimetype: 'image/avif',
    extension: 'avif',
    encode: image => image.avif({ quality: 50, effort: 2 }),
  },
}

/** Encoders for the part of an image that takes its place, of which variants are made: better than those of variants. */
const inPlace: Readonly<Record<string, (image: Sharp) => Sharp>> = {
  'image/jpeg': image => image.jpeg({ quality: 92, chromaSubsampling: '4:4:4' }),
  'image/png': image => image.png(),
  'image/gif': image => image.gif(),
  'image/webp': image => image.webp({ quality: 92 }),
}

/** The encoders for an image; the encoder of AVIF writes only one frame. */
function encodersFor(mimetype: string, formats: readonly ImageFormat[], animated: boolean): Encoder[] {
  const first = own[mimetype]
  if (!first) throw new Error(`${mimetype} is not rendered`)
  const beside = formats.filter(format => !animated || format !== 'avif').map(format => others[format])
  return [...new Set([first, ...beside])]
}

/** Pixels of the longer side from which a ThumbHash is made. It has seven waves a side, and 100 take 40 ms. */
const hashedSide = 32

async function thumbhashOf(image: Sharp): Promise<string> {
  const { data, info } = await image
    .resize({ width: hashedSide, height: hashedSide, fit: 'inside' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64')
}

/** Two images at the same time; a large one takes both places. */
const places = 2
const rendering = new Semaphore(places)

async function inspect(path: string): Promise<ImageFacts> {
  const {
    width,
    height,
    autoOrient,
    pages = 1,
    pageHeight,
    isProgressive,
    format,
  } = await sharp(path, {
    ...options,
    // The service has its own, clearer words for images that are too large.
    limitInputPixels: false,
    animated: true,
  }).metadata()
  const upright = pages > 1 ? { width, height: pageHeight ?? height } : autoOrient
  return {
    width: upright.width,
    height: upright.height,
    frames: pages,
    whole: isProgressive === true || format === 'gif' || format === 'webp',
  }
}

const pixelsOf = (size: { width: number; height: number }) => size.width * size.height

const weightOf = (facts: ImageFacts) => (pixelsOf(facts) * facts.frames > maxPixelsOfSmall ? places : 1)

const scaleOf = ({ width, height, part }: Rendition) =>
  Math.min(1, Math.max(width / part.width, height / part.height))

type Source = { image: () => Sharp; width: number; height: number; scale: number }

const upright = (path: string) => sharp(path, options).timeout({ seconds: timeoutSeconds }).autoOrient()

/** The image as large as the largest rendition needs it, decoded once; or the file, where that would be too large. */
async function sourceFor(path: string, facts: ImageFacts, wanted: readonly Rendition[]): Promise<Source> {
  const scale = Math.max(...wanted.map(scaleOf))
  const size = {
    width: Math.max(1, Math.round(facts.width * scale)),
    height: Math.max(1, Math.round(facts.height * scale)),
  }
  if (pixelsOf(size) > maxPixelsInMemory)
    return { image: () => upright(path), width: facts.width, height: facts.height, scale: 1 }
  const { data, info } = await upright(path)
    .resize({ ...size, fit: 'fill' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const raw = { width: info.width, height: info.height, channels: info.channels }
  return { image: () => sharp(data, { raw }).timeout({ seconds: timeoutSeconds }), ...size, scale }
}

function partIn({ width, height, scale }: Source, { part }: Rendition) {
  const left = Math.min(Math.round(part.left * scale), width - 1)
  const top = Math.min(Math.round(part.top * scale), height - 1)
  return {
    left,
    top,
    width: Math.max(1, Math.min(Math.round(part.width * scale), width - left)),
    height: Math.max(1, Math.min(Math.round(part.height * scale), height - top)),
  }
}

async function encoded(image: Sharp, name: string, encoder: Encoder, pages = 1): Promise<RenderedImage> {
  const { data, info } = await encoder.encode(image).toBuffer({ resolveWithObject: true })
  const height = pages > 1 ? (info.pageHeight ?? info.height / pages) : info.height
  const { mimetype, extension } = encoder
  return { name, width: info.width, height, mimetype, extension, bytes: data }
}

async function renderStill(
  path: string,
  facts: ImageFacts,
  wanted: readonly Rendition[],
  into: readonly Encoder[],
) {
  const source = await sourceFor(path, facts, wanted)
  const made: RenderedImage[] = []
  for (const rendition of wanted) {
    const { name, width, height } = rendition
    for (const encoder of into) {
      const part = source.image().extract(partIn(source, rendition)).resize({ width, height, fit: 'fill' })
      made.push(await encoded(part, name, encoder))
    }
  }
  return { images: made, thumbhash: await thumbhashOf(source.image()) }
}

/** Frames cannot be cut at any place, so the part's edge that is nearest decides. */
function edgeOf({ part }: Rendition, { width, height }: ImageFacts): string {
  const [x, y] = [part.left / Math.max(1, width - part.width), part.top / Math.max(1, height - part.height)]
  const row = y < 1 / 3 ? 'top' : y > 2 / 3 ? 'bottom' : ''
  const column = x < 1 / 3 ? 'left' : x > 2 / 3 ? 'right' : ''
  return `${column} ${row}`.trim() || 'centre'
}

async function renderFrames(
  path: string,
  facts: ImageFacts,
  wanted: readonly Rendition[],
  into: readonly Encoder[],
) {
  const made: RenderedImage[] = []
  for (const rendition of wanted)
    for (const encoder of into) {
      const { name, width, height } = rendition
      const image = sharp(path, { ...options, animated: true })
        .timeout({ seconds: timeoutSeconds })
        .resize({ width, height, fit: 'cover', position: edgeOf(rendition, facts) })
      made.push(await encoded(image, name, encoder, facts.frames))
    }
  return { images: made, thumbhash: await thumbhashOf(upright(path)) }
}

/** Renditions by libvips. */
export const images: Images = {
  inspect,
  pixels: (path, { width, height }) =>
    rendering.run(async () => {
      const { data, info } = await upright(path)
        .resize({ width, height, fit: 'inside', withoutEnlargement: true })
        .flatten({ background: '#000' })
        .toColourspace('srgb')
        .raw()
        .toBuffer({ resolveWithObject: true })
      return { width: info.width, height: info.height, rgb: data }
    }),
  crop(path, mimetype, facts, { x: left, y: top, width, height }) {
    const encode = inPlace[mimetype]
    if (!encode) throw new Error(`${mimetype} is not rendered`)
    return rendering.run(
      () => temporaryFile(encode(upright(path).extract({ left, top, width, height }).toColourspace('srgb'))),
      weightOf(facts),
    )
  },
  render(path, mimetype, facts, { renditions, formats }) {
    return rendering.run(async () => {
      const animated = facts.frames > 1
      const into = encodersFor(mimetype, formats, animated)
      if (renditions.length === 0) {
        if (animated)
          await sharp(path, { ...options, animated })
            .timeout({ seconds: timeoutSeconds })
            .resize(8)
            .raw()
            .toBuffer()
        return { images: [], thumbhash: await thumbhashOf(upright(path)) }
      }
      return (animated ? renderFrames : renderStill)(path, facts, renditions, into)
    }, weightOf(facts))
  },
}
