import type { MediaRecord } from '../services/media/record.js'

/** Returns the smallest rendition that fills a tile. */
export const tileOf = ({ url, variants, mimetype }: MediaRecord): string | undefined => {
  if (!mimetype.startsWith('image/')) return undefined
  const fitting = variants.filter(({ width }) => width >= 160).sort((a, b) => a.width - b.width)
  return fitting[0]?.url ?? url
}

const atLeast = ({ url, variants }: MediaRecord, least: number): string =>
  variants.filter(({ fit, width }) => fit === 'inside' && width >= least).sort((a, b) => a.width - b.width)[0]
    ?.url ?? url

/** Returns a rendition of the whole picture for a large part of the window. */
export const largeOf = (media: MediaRecord): string => atLeast(media, 1024)

/** Returns a rendition that shows the whole picture. */
export const wholeOf = (media: MediaRecord): string => atLeast(media, 320)
