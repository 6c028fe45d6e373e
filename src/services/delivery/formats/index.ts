import { contentful } from '../../../systems/contentful/write/page.js'
import { sanity } from '../../../systems/sanity/write/page.js'
import { strapi, strapi4 } from '../../../systems/strapi/write/page.js'
import { wordpress } from '../../../systems/wordpress/write/page.js'
import { clean } from './clean.js'
import type { Format } from './format.js'
import { native } from './native.js'
import { raw } from './raw.js'

/** The values of `format`. */
export const formatNames = [
  'native',
  'clean',
  'raw',
  'contentful',
  'sanity',
  'strapi',
  'wordpress',
  'markdown',
] as const
/** `strapi-v4` is asked for by a header and not by name. */
export type FormatName = (typeof formatNames)[number] | 'strapi-v4'

const named: ReadonlySet<string> = new Set(formatNames)
export const isFormatName = (name: string): name is FormatName => named.has(name)

const byName: Record<FormatName, Format> = {
  native,
  clean,
  raw,
  contentful,
  sanity,
  strapi,
  'strapi-v4': strapi4,
  wordpress,
  markdown: {
    reads: 'later',
    load: async () => (await import('../../../systems/markdown/write/page.js')).markdown,
    join: texts => texts.join('\n'),
  },
}

/** A Map, in which only these names are found. */
export const formats: ReadonlyMap<string, Format> = new Map(Object.entries(byName))
