import type { Actor } from '../actor.js'
import type { Config } from '../config.js'
import { badRequest, ConfigError } from '../errors.js'
import type { openerOf } from '../node/export-files.js'
import { type LineFile, openLines } from '../node/line-file.js'
import { nodeHashing } from '../node/ports.js'
import { collisionsOf } from '../services/import/collisions.js'
import { loadSite } from '../services/import/load.js'
import { refuseWithoutStorage } from '../services/import/load-files.js'
import { fieldCollisions } from '../services/import/load-model.js'
import { type ImportPreview, previewOf } from '../services/import/preview.js'
import type { Imported, ImportSettings } from '../services/import/settings.js'
import type { SiteRecords } from '../services/import/site.js'
import type { Services } from '../services/index.js'
import { authorOf } from './author.js'
import { show, type Values } from './command.js'
import { siteRoot } from './import-root.js'
import { progressLine } from './progress.js'
import { asOperator, siteOptions } from './site.js'
import type { Terminal } from './terminal.js'

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
export async function preview(
  { terminal, options, system }: Call,
  read: () => Promise<SiteRecords>,
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

/** One call of the command. */
export interface Call {
  readonly terminal: Terminal
  readonly options: Values
  readonly system: string
}

/** The site into which records are imported. */
interface Target {
  readonly services: Services
  readonly actor: Actor
  readonly config: Config
}

type Open = ReturnType<typeof openerOf>
type Further = Pick<ImportSettings, 'source' | 'update'> & {
  readonly report?: LineFile | undefined
  readonly redirects?: LineFile | undefined
}

/** Stores the records of an export, or of a live API. */
export async function loadRecords(
  { terminal, options, system }: Call,
  { services, actor, config }: Target,
  site: SiteRecords,
  open: Open,
  { report, redirects, source, update }: Further,
): Promise<Imported> {
  const withFiles = options['without-files'] === undefined && site.files.length > 0
  if (withFiles) refuseWithoutStorage(site.files, { config, instead })
  const collisions = await fieldCollisions(services, site)
  if (collisions.length > 0) throw badRequest(collisions.join('\n'))
  const isChecked = report !== undefined || options.verify !== undefined
  const line = progressLine(terminal)
  try {
    return await loadSite(services, actor, site, {
      ...{ system, hashing: nodeHashing, now: Date.now(), isPublic: options.public !== undefined },
      ...{ source, update, instead, open: withFiles ? open : undefined },
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
      progress(of, done, total) {
        // Stored records stay. The next import goes on after them.
        if (source !== undefined) terminal.stopped.throwIfAborted()
        if (total > 0) line.draw({ doing: `import of ${of}`, of, done, total })
      },
    })
  } finally {
    line.end()
  }
}

/** Opens the site for an import, with the author of its entries. */
export const onTarget = <T>(
  { terminal, options, system }: Call,
  work: (target: Target) => Promise<T>,
): Promise<T> =>
  asOperator(terminal, options.config, `import ${system}`, async (services, operator, config) =>
    work({ services, config, actor: { ...operator, userId: await authorOf(services, options.author) } }),
  )

/** The files that `--report` and `--redirects` name. */
export async function withLineFiles<T>(
  { options }: Call,
  work: (files: Pick<Further, 'report' | 'redirects'>) => Promise<T>,
): Promise<T> {
  let [report, redirects]: (LineFile | undefined)[] = []
  try {
    report = await lineFile(options.report)
    redirects = await lineFile(options.redirects)
    return await work({ report, redirects })
  } finally {
    await report?.close()
    await redirects?.close()
  }
}

export const exitCode = ({ left_out }: Pick<Imported, 'left_out'>): number => (left_out > 0 ? exitLeftOut : 0)
