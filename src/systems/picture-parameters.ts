import type { Ctx } from '../middleware/context.js'
import { searchOf } from './root.js'

const types: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  pjpg: 'image/jpeg',
  png: 'image/png',
  png8: 'image/png',
  webp: 'image/webp',
}

interface PictureParameters {
  readonly query: URLSearchParams
  /** The first of these that is a number, within what a picture can have; 0 without one. */
  number(...names: readonly string[]): number
  /** The media type that `fm` names, where there are pictures of it. */
  readonly type: string | undefined
}

/** What other systems ask of a picture in its address. */
export function pictureParameters(c: Ctx): PictureParameters {
  const query = new URLSearchParams(searchOf(c.req.url))
  const format = query.get('fm') ?? ''
  return {
    query,
    number(...names) {
      const given = names.map(name => Number(query.get(name) ?? Number.NaN)).find(Number.isFinite) ?? 0
      return Math.min(Math.max(given, 0), 20_000)
    },
    type: Object.hasOwn(types, format) ? types[format] : undefined,
  }
}
