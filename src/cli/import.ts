import { badRequest } from '../errors.js'
import { didYouMean } from '../nearest-name.js'
import { openExport, openerOf } from '../node/export-files.js'
import { outgoing } from '../node/outgoing.js'
import { growHeapSlowly, openRecords } from '../node/record-files.js'
import { importSystems } from '../services/import/systems.js'
import { readerOf } from '../systems/readers.js'
import { type LocalCommand, show, type Values, WrongCall } from './command.js'
import { exitCode, loadRecords, onTarget, preview, withLineFiles } from './import-load.js'
import { summary } from './import-summary.js'

/** Imports an export of another system, or its live API. @returns the exit code */
export const importExport: LocalCommand['run'] = async (terminal, options, [system = '', path]) => {
  const call = { terminal, options, system }
  const reader = readerOf(system)
  if (!reader) throw badRequest(`there is no import from ${system}: ${didYouMean(system, importSystems)}`)
  refuseOptions(options, path)
  if (options.from !== undefined) return (await import('./import-live.js')).importLive(call, reader)
  const source = await openExport(path ?? '')
  const folder = options.files === undefined ? undefined : await openExport(options.files)
  growHeapSlowly()
  const records = openRecords()
  const read = async () => (await reader())(source, records)
  try {
    if (options['dry-run'] !== undefined) return await preview(call, read)
    return await onTarget(call, target =>
      // Reading a large export takes seconds: what does not need it is refused before.
      withLineFiles(call, async files => {
        const site = await read()
        const open = openerOf(outgoing, source, folder, target.config.max_upload_size)
        const update = options.update === undefined ? undefined : { isWhole: false, deletes: false }
        const made = await loadRecords(call, target, site, open, { ...files, update })
        show(terminal, options, made, summary(made))
        return exitCode(made)
      }),
    )
  } finally {
    records.close()
    await source.close()
    await folder?.close()
  }
}

/** @throws WrongCall for options that do not go together */
function refuseOptions(options: Values, path: string | undefined): void {
  const given = (name: string) => options[name] !== undefined
  if ((path === undefined) === !given('from'))
    throw new WrongCall('the command needs an export, or the address of the live API: --from <url>')
  for (const name of ['follow', 'types', 'every', 'delete'])
    if (given(name) && !given('from')) throw new WrongCall(`--${name} needs --from`)
  if (given('every') && !given('follow')) throw new WrongCall('--every needs --follow')
  if (given('delete') && !given('follow') && !given('update'))
    throw new WrongCall('--delete needs --follow or --update')
  for (const name of ['dry-run', 'report', 'verify', 'redirects'])
    if (given(name) && given('follow'))
      throw new WrongCall(`--${name} and --follow do not go together: run the command without --follow first`)
}
