// The process of one import that a request has started (docs/decisions/767-imports.md). The service tells it
// what to do, hears how it goes, and stores that; this process ends with the service.
import { HttpError } from '../errors.js'
import { type OpenExport, openExport, openerOf } from '../node/export-files.js'
import type { ImportTask } from '../node/importer.js'
import { outgoing } from '../node/outgoing.js'
import { createLog, nodeHashing, nodePorts } from '../node/ports.js'
import { growHeapSlowly, openRecords, type RecordFile } from '../node/record-files.js'
import type { ImportMessage, ImportWork } from '../ports.js'
import { type Options, open } from '../server.js'
import { loadSite } from '../services/import/load.js'
import { refuseWithoutStorage } from '../services/import/load-files.js'
import { previewOf } from '../services/import/preview.js'
import { keepReport } from '../services/import/stored-report.js'
import { readerOf } from '../systems/readers.js'
import { siteRoot } from './import-root.js'

const log = createLog('error', { write: line => process.stderr.write(line) })

const say = (message: ImportMessage): Promise<void> =>
  new Promise(resolve => {
    if (process.connected) process.send?.(message, () => resolve())
    else resolve()
  })

/** Says what is in the export. */
async function preview(
  source: OpenExport,
  records: RecordFile,
  { system }: ImportWork,
): Promise<ImportMessage> {
  const site = await (await reader(system))(source, records)
  return { kind: 'preview', preview: { ...previewOf(site), left_out: site.unread?.count ?? 0 } }
}

async function reader(system: string) {
  const found = readerOf(system)
  if (!found) throw new Error(`there is no reader for ${system}`)
  return found()
}

async function load(source: OpenExport, records: RecordFile, task: ImportTask): Promise<ImportMessage> {
  const { work, config } = task
  const site = await (await reader(work.system))(source, records)
  const ports = nodePorts(log, task.configPath)
  const options: Options = { config, ports, variables: process.env, onlyExisting: true, asItIs: true }
  const { db, services, config: inEffect } = await open(options)
  try {
    if (work.withFiles) refuseWithoutStorage(site.files, { config: inEffect() })
    const report = await keepReport(db, work.importId)
    let toldAt = 0
    const made = await loadSite(services, work.actor, site, {
      ...{ system: work.system, hashing: nodeHashing, now: Date.now(), isPublic: work.isPublic },
      open: work.withFiles ? openerOf(outgoing, source, undefined, inEffect().max_upload_size) : undefined,
      redirects: inEffect().redirect_mode !== 'off',
      report: row => report.add(row),
      root: compat =>
        siteRoot(
          options,
          { system: work.system, actor: work.actor, isLocalized: site.locales.length > 1 },
          compat,
        ),
      progress: (doing, done, total) => {
        const now = performance.now()
        if (done < total && now - toldAt < 200) return
        toldAt = now
        void say({ kind: 'progress', doing, done, total })
      },
    })
    await report.end()
    return { kind: 'made', made: { ...made } }
  } finally {
    await services.settle()
    await db.close()
  }
}

async function answer(task: ImportTask): Promise<void> {
  const { work } = task
  let source: OpenExport | undefined
  let records: RecordFile | undefined
  try {
    source = await openExport(work.path, 'bounded')
    growHeapSlowly()
    records = openRecords()
    await say(work.isPreview ? await preview(source, records, work) : await load(source, records, task))
  } catch (error) {
    if (!(error instanceof HttpError)) log.error({ err: error, import_id: work.importId }, 'an import failed')
    const message = error instanceof HttpError ? error.message.replaceAll(work.path, 'the export') : undefined
    await say({ kind: 'refused', message })
  } finally {
    records?.close()
    await source?.close()
  }
  process.exit()
}

process.on('message', given => void answer(given as ImportTask))
process.on('disconnect', () => process.exit())
