import type { Actor } from '../actor.js'
import { badRequest, ConfigError } from '../errors.js'
import { didYouMean } from '../nearest-name.js'
import { openExport, openerOf } from '../node/export-files.js'
import { type LineFile, openLines } from '../node/line-file.js'
import { outgoing } from '../node/outgoing.js'
import { nodeHashing } from '../node/ports.js'
import { growHeapSlowly, openRecords } from '../node/record-files.js'
import { collisionsOf } from '../services/import/collisions.js'
import { loadSite } from '../services/import/load.js'
import { refuseWithoutStorage } from '../services/import/load-files.js'
import { fieldCollisions } from '../services/import/load-model.js'
import { type ImportPreview, previewOf } from '../services/import/preview.js'
import type { Verified } from '../services/import/report.js'
import type { Imported } from '../services/import/settings.js'
import type { SiteRecords } from '../services/import/site.js'
import { importSystems } from '../services/import/systems.js'
import { readerOf } from '../systems/readers.js'
import { authorOf } from './author.js'
import { type LocalCommand, show, type Values } from './command.js'
import { siteRoot } from './import-root.js'
import { progressLine } from './progress.js'
import { asOperator, siteOptions } from './site.js'
import { complain, type Terminal } from './terminal.js'

function summary(imported: Imported): string {
  const { datatypes, fields, entries, known, files, left_out, redirects, verified, notes, compat } = imported
  const made = `Created ${datatypes} datatypes, ${fields} fields, ${entries} entries and ${files} files.`
  const without = left_out > 0 ? [`${left_out} records were left out.`] : []
  const moved = redirects > 0 ? [`Redirects from old addresses: ${redirects}.`] : []
  const kept = known > 0 ? [`${known} entries already existed and are unchanged.`] : []
  const names =
    Object.keys(compat).length > 0
      ? [`Add this to cms.config.json for the front end: ${JSON.stringify({ compat })}`]
      : []
  const checked = verified ? verifiedLines(verified) : []
  const losses = notes.map(note => `- ${note}`)
  return [made, ...kept, ...without, ...moved, ...losses, ...checked, ...names].join('\n')
}

/** Such as `Compared with the export: 18 equal, 1 different, 1 missing.`, and the differences. */
function verifiedLines({ equal, different, missing, unasked, aspects, named }: Verified): string[] {
  const compared = Object.entries(aspects).map(([name, { equal: same, of }]) => `${name} ${same} of ${of}`)
  const counts = `${equal} equal, ${different} different, ${missing} missing`
  const without = unasked > 0 ? `, ${unasked} without an id in the other system` : ''
  const others = different + missing - named.length
  return [
    `Compared with the export: ${counts}${without}.`,
    ...(compared.length > 0 ? [`Same as in the export: ${compared.join(', ')}.`] : []),
    ...named.map(one => `* ${one}`),
    ...(others > 0 ? [`* and ${others} others: see --report`] : []),
  ]
}

/** A file of lines; undefined without a path. @throws 400 if it cannot be written */
async function lineFile(path: string | undefined): Promise<LineFile | undefined> {
  if (path === undefined) return undefined
  try {
    return await openLines(path)
  } catch (error) {
    throw badRequest(`${path}: cannot be written: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function previewText({ locales, datatypes, files, unread, notes }: ImportPreview): string {
  const lines = datatypes.map(
    ({ name, fields, entries, published }) =>
      `${name}: fields ${fields}, entries ${entries}, published ${published}`,
  )
  const languages = locales.length > 0 ? [`Languages: ${locales.join(', ')}.`] : []
  const left = unread.map(({ place, reason }) => `Left out: ${place}: ${reason}`)
  const further = [...languages, `Files: ${files}.`, ...left, ...notes.map(note => `- ${note}`)]
  return [...lines, ...further, 'Nothing was stored.'].join('\n')
}

/** The exit code where everything is here but records of the export that were left out. */
const exitLeftOut = 3

/** Shows a preview, with what collides in the site where there is one. */
async function preview(
  terminal: Terminal,
  options: Values,
  { system, read }: { system: string; read: () => Promise<SiteRecords> },
): Promise<number> {
  let why = ''
  const seen = await asOperator(terminal, options.config, `import ${system}`, async services => {
    const site = await read()
    const { collisions, notes } = await collisionsOf(services, site, { system, hashing: nodeHashing })
    const own = previewOf(site)
    return { ...own, notes: [...own.notes, ...notes], collisions }
  }).catch(error => {
    if (!(error instanceof ConfigError)) throw error
    why = error.message
    return undefined
  })
  const shown = seen ?? previewOf(await read())
  const unchecked = seen ? [] : [`Not compared with a site: ${why}`]
  const lines = [
    previewText(shown),
    ...(seen?.collisions ?? []).map(one => `The import would be refused: ${one}`),
  ]
  show(terminal, options, shown, [...lines, ...unchecked].join('\n'))
  return 0
}

const instead = 'use --without-files'

/** Imports an export of another system. @returns the exit code */
export const importExport: LocalCommand['run'] = async (terminal, options, [system = '', path = '']) => {
  const reader = readerOf(system)
  if (!reader) throw badRequest(`there is no import from ${system}: ${didYouMean(system, importSystems)}`)
  const source = await openExport(path)
  const folder = options.files === undefined ? undefined : await openExport(options.files)
  growHeapSlowly()
  const records = openRecords()
  const read = async () => (await reader())(source, records)
  let report: LineFile | undefined
  let redirects: LineFile | undefined
  const line = progressLine(terminal)
  try {
    if (options['dry-run'] !== undefined) return await preview(terminal, options, { system, read })
    return await asOperator(
      terminal,
      options.config,
      `import ${system}`,
      async (services, operator, config) => {
        // Reading a large export takes seconds: what does not need it is refused before.
        const actor: Actor = { ...operator, userId: await authorOf(services, options.author) }
        report = await lineFile(options.report)
        redirects = await lineFile(options.redirects)
        const site = await read()
        const withFiles = options['without-files'] === undefined && site.files.length > 0
        if (withFiles) refuseWithoutStorage(site.files, { config, instead })
        const collisions = await fieldCollisions(services, site)
        if (collisions.length > 0) throw badRequest(collisions.join('\n'))
        const isChecked = report !== undefined || options.verify !== undefined
        const made = await loadSite(services, actor, site, {
          ...{ system, hashing: nodeHashing, now: Date.now(), isPublic: options.public !== undefined },
          open: withFiles ? openerOf(outgoing, source, folder, config.max_upload_size) : undefined,
          instead,
          redirects: config.redirect_mode !== 'off',
          oldAddress: ({ from, to }) => redirects?.write(`${from} ${to}`),
          report: isChecked ? row => report?.write(JSON.stringify(row)) : undefined,
          root: isChecked
            ? async compat =>
                siteRoot(
                  await siteOptions(terminal, options.config),
                  { system, actor, isLocalized: site.locales.length > 1 },
                  compat,
                )
            : undefined,
          progress: (of, done, total) =>
            total > 0 && line.draw({ doing: `import of ${of}`, of, done, total }),
        })
        line.end()
        if (site.locales.length > 1 && !config.i18n_enabled)
          complain(
            terminal,
            'the content has several languages: set i18n_enabled to true in the configuration',
          )
        show(terminal, options, made, summary(made))
        return made.left_out > 0 ? exitLeftOut : 0
      },
    )
  } finally {
    line.end()
    await report?.close()
    await redirects?.close()
    records.close()
    await source.close()
    await folder?.close()
  }
}
