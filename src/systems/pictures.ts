import { notFound } from '../errors.js'
import { isUlid } from '../ids.js'
import type { Ctx } from '../middleware/context.js'
import type { CompatSite, Written } from '../services/delivery/compat/compat.js'
import type { MediaRecord } from '../services/media/record.js'
import { searchOf } from './root.js'

/** The picture that an address of another system asks for. Sizes are in pixels; 0 if they are not given. */
export interface WantedPicture {
  readonly width: number
  readonly height: number
  /** True if the picture fills the size and is cut; false if it is whole inside of it. */
  readonly crops: boolean
  /** Media types in the order in which they are preferred; the picture's own one goes always. */
  readonly types: readonly string[]
}

interface Size {
  readonly width: number
  readonly height: number
  readonly mimetype: string
  readonly url: string
  readonly fit: 'inside' | 'cover'
}

/** How much two proportions differ, so that they are still the same. */
const tolerance = 0.02
const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= tolerance * b

/**
 * The address of the best variant: the smallest that is large enough, else the largest; in the wanted proportions if a
 * preset has them, else whole. No new variant is rendered for it.
 */
function nearestVariant(media: MediaRecord, { width, height, crops, types }: WantedPicture): string {
  const { width: ownWidth, height: ownHeight, mimetype, url } = media
  if (ownWidth === null || ownHeight === null) return url
  const original: Size = { width: ownWidth, height: ownHeight, mimetype, url, fit: 'inside' }
  const sizes = [original, ...media.variants]
  const proportion = width && height ? width / height : ownWidth / ownHeight
  const cut = crops ? sizes.filter(size => isNear(size.width / size.height, proportion)) : []
  const shaped = cut.length > 0 ? cut : sizes.filter(({ fit }) => fit === 'inside')
  const type = [...types, mimetype].find(one => shaped.some(size => size.mimetype === one)) ?? mimetype
  const ofType = shaped.filter(size => size.mimetype === type).sort((a, b) => a.width - b.width)
  // Whole within a size it is as large as the tighter side lets it be.
  const needed = ({ width: w, height: h }: Size): boolean => {
    const [wide, high] = [width === 0 || w >= width, height === 0 || h >= height]
    return width && height && !crops ? wide || high : wide && high
  }
  const isAny = width === 0 && height === 0
  return ((isAny ? undefined : ofType.find(needed)) ?? ofType.at(-1) ?? original).url
}

/** The address of a requested picture. It takes no key: browsers cannot send one, and the store decides who reads. */
export async function pictureAt(site: CompatSite, mediaId: string, wanted: WantedPicture): Promise<Written> {
  const media = isUlid(mediaId) ? (await site.documents.media([mediaId])).get(mediaId) : undefined
  if (!media) throw notFound()
  return { text: '', location: nearestVariant(media, wanted) }
}

const types: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  pjpg: 'image/jpeg',
  png: 'image/png',
  png8: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
}

/** Reads the parameters that systems have for pictures. */
export function pictureParameters(c: Ctx) {
  const query = new URLSearchParams(searchOf(c.req.url))
  const format = query.get('fm') ?? ''
  return {
    query,
    number(...names: readonly string[]): number {
      const given = names.map(name => Number(query.get(name) ?? Number.NaN)).find(Number.isFinite) ?? 0
      return Math.min(Math.max(given, 0), 20_000)
    },
    type: Object.hasOwn(types, format) ? types[format] : undefined,
  }
}
