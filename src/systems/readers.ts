import type { ReadExport } from '../services/import/site.js'
import type { ImportSystem } from '../services/import/systems.js'

/** Readers of exports by system; each is loaded when it is needed. */
const readers: Readonly<Record<ImportSystem, () => Promise<ReadExport>>> = {
  wordpress: async () => (await import('./wordpress/import/index.js')).readWordpress,
  contentful: async () => (await import('./contentful/import/index.js')).readContentful,
  sanity: async () => (await import('./sanity/import/index.js')).readSanity,
  strapi: async () => (await import('./strapi/import/index.js')).readStrapi,
  csv: async () => (await import('./csv/index.js')).readCsv,
  ghost: async () => (await import('./ghost/index.js')).readGhost,
  markdown: async () => (await import('./markdown/index.js')).readMarkdown,
}

/** The reader of a system's exports; undefined for a system without a reader. */
export const readerOf = (system: string): (() => Promise<ReadExport>) | undefined =>
  Object.hasOwn(readers, system) ? readers[system as ImportSystem] : undefined
