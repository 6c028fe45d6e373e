import type { Actor } from '../actor.js'
import { badRequest } from '../errors.js'
import { didYouMean } from '../nearest-name.js'
import { download, type OpenExport, openExport } from '../node/export-files.js'
import { outgoing } from '../node/outgoing.js'
import { nodeHashing } from '../node/ports.js'
import { type Imported, loadSite } from '../services/import/load.js'
import { type ImportPreview, previewOf } from '../services/import/preview.js'
import type { ImportedFile, ReadExport } from '../services/import/site.js'
import { mediaAddress } from '../services/media/storage.js'
import { authorOf } from './author.js'
import { type LocalCommand, show } from './command.js'
import { asOperator } from './site.js'
import { complain, type Terminal } from './terminal.js'

/** Readers of exports by system; each is loaded when it is needed. */
const systems: Readonly<Record<string, () => Promise<ReadExport>>> = {
  wordpress: async () => (await import('../systems/wordpress/import/index.js')).readWordpress,
  contentful: async () => (await import('../systems/contentful/import/index.js')).readContentful,
  sanity: async () => (await import('../systems/sanity/import/index.js')).readSanity,
  strapi: async () => (await import('../systems/strapi/import/index.js')).readStrapi,
}

/** Shows the progress in one line that changes in place, if standard error is a terminal. */
function progressOn(terminal: Terminal) {
  let last = ''
  return (doing: string, done: number, total: number): void => {
    const line = `${doing}: ${done} of ${total}`
    if (!terminal.isInteractive || line === last || total === 0) return
    last = line
    terminal.writeError(`\r${line}${done === total ? '\n' : ''}`)
  }
}

/** Opens the files of an export: in the export, in the given folder, or at their addresses. */
function opener(source: OpenExport, folder: OpenExport | undefined, maxBytes: number) {
  return async ({ at, url }: ImportedFile) => {
    if (at !== undefined && source.names.includes(at)) return source.file(at)
    if (url === undefined) throw badRequest('it is missing in the export')
    const own = folder?.names.find(name => url.endsWith(`/${name}`))
    return own !== undefined && folder ? folder.file(own) : download(outgoing, url, maxBytes)
  }
}

function summary({ datatypes, fields, entries, known, files, notes, compat }: Imported): string {
  const made = `Made ${datatypes} datatypes, ${fields} fields, ${entries} entries and ${files} files.`
  const kept = known > 0 ? [`${known} entries were there before and are as they were.`] : []
  const names = Object.keys(compat).length > 0 ? [`cms.config.json needs ${JSON.stringify({ compat })}`] : []
  return [made, ...kept, ...notes.map(note => `- ${note}`), ...names].join('\n')
}

function previewText({ locales, datatypes, files, notes }: ImportPreview): string {
  const lines = datatypes.map(
    ({ name, fields, entries, published }) =>
      `${name}: fields ${fields}, entries ${entries}, published ${published}`,
  )
  const languages = locales.length > 0 ? [`Languages: ${locales.join(', ')}.`] : []
  const further = [...languages, `Files: ${files}.`, ...notes.map(note => `- ${note}`)]
  return [...lines, ...further, 'Nothing was stored.'].join('\n')
}

/** Imports an export of another system. */
export const importExport: LocalCommand['run'] = async (terminal, options, [system = '', path = '']) => {
  const reader = Object.hasOwn(systems, system) ? systems[system] : undefined
  if (!reader)
    throw badRequest(`there is no import from ${system}: ${didYouMean(system, Object.keys(systems))}`)
  const source = await openExport(path)
  const folder = options.files === undefined ? undefined : await openExport(options.files)
  try {
    const site = await (await reader())(source)
    if (options['dry-run'] !== undefined) {
      const preview = previewOf(site)
      show(terminal, options, preview, previewText(preview))
      return 0
    }
    return await asOperator(
      terminal,
      options.config,
      `import ${system}`,
      async (services, operator, config) => {
        const actor: Actor = { ...operator, userId: await authorOf(services, options.author) }
        const withFiles = options['without-files'] === undefined && site.files.length > 0
        if (withFiles && !mediaAddress(config, 'media'))
          throw badRequest(
            `the export has ${site.files.length} files, and the configuration names no storage for media: name one, or leave them out by --without-files`,
          )
        const made = await loadSite(services, actor, site, {
          ...{ system, hashing: nodeHashing, now: Date.now(), isPublic: options.public !== undefined },
          open: withFiles ? opener(source, folder, config.max_upload_size) : undefined,
          progress: progressOn(terminal),
        })
        if (site.locales.length > 1 && !config.i18n_enabled)
          complain(
            terminal,
            'the content has several languages: turn them on by i18n_enabled in the configuration',
          )
        show(terminal, options, made, summary(made))
        return 0
      },
    )
  } finally {
    await source.close()
    await folder?.close()
  }
}
