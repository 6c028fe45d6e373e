import { clean } from './clean.js'
import type { Format } from './format.js'
import { raw } from './raw.js'

// provisional: the helper who writes the foreign formats replaces this file
export const formatNames = ['clean', 'raw', 'contentful', 'sanity', 'strapi', 'wordpress'] as const
export type FormatName = (typeof formatNames)[number]
export const formats: ReadonlyMap<string, Format> = new Map([
  ['clean', clean],
  ['raw', raw],
])
