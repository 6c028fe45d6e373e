import { createReadStream } from 'node:fs'
import type { Actor } from '../actor.js'
import { badRequest } from '../errors.js'
import { temporaryPlace } from '../node/temporary-files.js'
import type { Services } from '../services/index.js'
import { refuseOtherFile } from './backup.js'
import { type Io, type SiteCommand, show } from './command.js'
import { progressLine, stepOfArchive } from './progress.js'
import { complain } from './terminal.js'

const standardOutput = '-'

const byteCount = (bytes: number | null): string =>
  bytes === null ? '' : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`

async function writeOut({ backups }: Services, actor: Actor, io: Io): Promise<number> {
  const { path, discard } = await temporaryPlace()
  try {
    const to = { path, location: `standard output (${actor.surface})` }
    const { error_message } = await backups.make(actor, to, () => undefined)
    if (error_message) complain(io, error_message)
    for await (const some of createReadStream(path)) {
      io.writeBytes(some)
      await io.drained()
    }
    return 0
  } finally {
    await discard()
  }
}

/** The size of the last backup: what this one will have is known when it has read everything. */
async function recordsOfLast({ backups }: Services): Promise<number | undefined> {
  let last: number | undefined
  for await (const some of backups.list({}, {}))
    for (const { record_count } of some) last = record_count || last
  return last
}

/**
 * Makes a backup and waits for its end. On the machine a signal aborts it and leaves no file; a caller over SSH cannot
 * name files of the machine.
 */
export const backupCreate: SiteCommand['work'] = async (services, actor, io, options, [file]) => {
  const isHere = actor.surface === 'cli'
  if (!isHere && file !== undefined && file !== standardOutput)
    throw badRequest('from another machine, omit the file: the backup goes to standard output')
  if (file === standardOutput || !isHere) return writeOut(services, actor, io)
  if (file !== undefined) await refuseOtherFile(file)
  const { backups } = services
  const line = progressLine(io)
  const recordsInAll = io.isInteractive ? await recordsOfLast(services) : undefined
  io.stopped.addEventListener('abort', () => void backups.stop(), { once: true })
  const made = await backups.make(actor, file, done =>
    line.draw({ ...stepOfArchive('backup', { ...done, recordsInAll }), isAbout: done.media === 0 }),
  )
  line.end()
  const { location, size_bytes, record_count, error_message } = made
  if (error_message) complain(io, error_message)
  show(io, options, made, `${location}: ${record_count} records, ${byteCount(size_bytes)}`)
  return 0
}

/** Shows the records of backups, oldest first. */
export const backupList: SiteCommand['work'] = async ({ backups }, _actor, io, options) => {
  const all = []
  for await (const some of backups.list({}, {})) all.push(...some)
  const lines = all.map(({ started_at, status, size_bytes, location, error_message }) =>
    [started_at, status.padEnd(9), byteCount(size_bytes).padStart(10), location, error_message ?? '']
      .join('  ')
      .trimEnd(),
  )
  show(io, options, all, lines.join('\n') || 'No backups yet.')
  return 0
}
