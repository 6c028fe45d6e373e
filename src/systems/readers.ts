import type { Questions } from '../services/import/shown.js'
import type { ReadLargeExport } from '../services/import/site.js'
import type { ImportSystem } from '../services/import/systems.js'
import type { OpenLive } from './live.js'

/** Readers of exports by system; each is loaded when it is needed. */
const readers: Readonly<Record<ImportSystem, () => Promise<ReadLargeExport>>> = {
  wordpress: async () => (await import('./wordpress/import/index.js')).readLargeWordpress,
  contentful: async () => (await import('./contentful/import/index.js')).readLargeContentful,
  sanity: async () => (await import('./sanity/import/index.js')).readLargeSanity,
  strapi: async () => (await import('./strapi/import/index.js')).readLargeStrapi,
  csv: async () => (await import('./csv/index.js')).readCsv,
  ghost: async () => (await import('./ghost/index.js')).readGhost,
  markdown: async () => (await import('./markdown/index.js')).readMarkdown,
}

/** The reader of a system's exports; undefined for a system without a reader. */
export const readerOf = (system: string): (() => Promise<ReadLargeExport>) | undefined =>
  Object.hasOwn(readers, system) ? readers[system as ImportSystem] : undefined

const questions: Readonly<Partial<Record<ImportSystem, () => Promise<Questions>>>> = {
  wordpress: async () => (await import('./wordpress/import/shown.js')).wordpressQuestions,
  contentful: async () => (await import('./contentful/import/shown.js')).contentfulQuestions,
  sanity: async () => (await import('./sanity/import/shown.js')).sanityQuestions,
  strapi: async () => (await import('./strapi/import/shown.js')).strapiQuestions,
}

/** The requests by which imported records are read back; undefined for a system without a root. */
export const questionsFor = (system: string): (() => Promise<Questions>) | undefined =>
  Object.hasOwn(questions, system) ? questions[system as ImportSystem] : undefined

/** A system whose live API can be read. */
export interface LiveSystem {
  /** The parameter that has the key, where a header does not. */
  readonly keyParameter?: string
  /** Makes the address of the API of one that people know. */
  readonly api?: (address: URL) => URL
  open(): Promise<OpenLive>
}

const withPath =
  (part: string) =>
  (address: URL): URL =>
    address.pathname.includes(part)
      ? address
      : new URL(`${address.origin}${address.pathname.replace(/\/$/, '')}${part}`)

const live: Readonly<Partial<Record<ImportSystem, LiveSystem>>> = {
  wordpress: {
    api: withPath('/wp-json'),
    open: async () => (await import('./wordpress/live.js')).openWordpress,
  },
  strapi: {
    api: withPath('/api'),
    open: async () => (await import('./strapi/live.js')).openStrapi,
  },
  contentful: { open: async () => (await import('./contentful/live.js')).openContentful },
  sanity: { open: async () => (await import('./sanity/live.js')).openSanity },
  ghost: {
    keyParameter: 'key',
    api: withPath('/ghost/api/content'),
    open: async () => (await import('./ghost/live.js')).openGhost,
  },
}

export const liveSystems: readonly string[] = Object.keys(live)

/** Returns the live API of a system; undefined if we read no API of it. */
export const liveOf = (system: string): LiveSystem | undefined =>
  Object.hasOwn(live, system) ? live[system as ImportSystem] : undefined
