import { createReadStream, statSync } from 'node:fs'
import { migrations } from '../../migrations/index.js'
import { badRequest } from '../errors.js'
import { archives } from '../node/ports.js'
import { checkArchive } from '../services/operation/archive-check.js'
import { type LocalCommand, show } from './command.js'
import { progressLine, stepOfArchive } from './progress.js'

/** The names of the migrations; they show whether this version can read a backup. */
export const schema = migrations.map(({ name }) => name)

/** @throws 400 for a path without a file */
export function refuseNoFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw badRequest(`${path}: the file does not exist`)
  if (found.isDirectory()) throw badRequest(`${path}: is a folder: add the name of a file`)
}

const gzipStart = Buffer.from([0x1f, 0x8b])

/** @throws 400 for the path of another file, such as a database, which a backup would replace */
export async function refuseOtherFile(path: string): Promise<void> {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return
  refuseNoFile(path)
  const isOther = async () => {
    if (!found.isFile()) return true
    // An empty file was made for the backup.
    for await (const start of createReadStream(path, { end: 1 })) return !gzipStart.equals(start)
    return false
  }
  if (await isOther())
    throw badRequest(`${path}: exists already and is not a backup: choose a different file name`)
}

/** Checks a backup file without opening a site. @throws the problem of the file */
export const backupVerify: LocalCommand['run'] = async (terminal, options, [file = '']) => {
  refuseNoFile(file)
  const line = progressLine(terminal)
  const { manifest, missing } = await checkArchive({ archives, schema }, file, {
    progress: done => line.draw(stepOfArchive('verify', done)),
  })
  line.end()
  const { version, created_at, records, media } = manifest
  const found = { file, version, created_at, records, media: media - missing.length, missing }
  const lacks =
    missing.length > 0 ? `; ${missing.length} media files were missing from the media storage` : ''
  const text = `${file} is complete: ${records} records and ${found.media} media of ${created_at}, by version ${version}${lacks}`
  show(terminal, options, found, text)
  return 0
}
