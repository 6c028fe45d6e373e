import { clean } from './clean.js'
import { contentful } from './contentful.js'
import type { Format } from './format.js'
import { raw } from './raw.js'
import { sanity } from './sanity.js'
import { strapi } from './strapi.js'
import { wordpress } from './wordpress.js'

/** The values of `format` (4.10). */
export const formatNames = ['clean', 'raw', 'contentful', 'sanity', 'strapi', 'wordpress'] as const
export type FormatName = (typeof formatNames)[number]

const byName: Record<FormatName, Format> = { clean, raw, contentful, sanity, strapi, wordpress }

/** A Map, in which only these names are found. */
export const formats: ReadonlyMap<string, Format> = new Map(Object.entries(byName))
