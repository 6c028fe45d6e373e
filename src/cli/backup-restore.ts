import { migrations } from '../../migrations/index.js'
import { type Config, databaseFile } from '../config.js'
import { connect, untilAnswering } from '../db/connect.js'
import type { Dialect } from '../db/dialects/dialect.js'
import type { DumpedRows } from '../db/dump/read.js'
import { migrate } from '../db/migrate.js'
import { firstUsedTable, RestoreError, restoreRows } from '../db/restore.js'
import { timestamp } from '../ids.js'
import { loadConfig } from '../node/config-file.js'
import { archives, nodePorts, storage } from '../node/ports.js'
import type { ArchiveEntry, Bucket, Log } from '../ports.js'
import { open } from '../server.js'
import { servedAs } from '../services/media/file-names.js'
import { type MediaSpaceName, mediaAddress } from '../services/media/storage.js'
import { checkArchive, rowsOfArchive } from '../services/operation/archive-check.js'
import type { MediaObject } from '../services/operation/backup-archive.js'
import { refuseNoFile, schema } from './backup.js'
import { type LocalCommand, show } from './command.js'
import { commandLog } from './command-log.js'
import { progressLine, stepOfArchive } from './progress.js'
import { showAdministrator, type Terminal } from './terminal.js'

const checking = { archives, schema }

class MediaTarget {
  private readonly buckets = new Map<MediaSpaceName, Promise<Bucket>>()

  constructor(private readonly site: Pick<Restoring, 'config'>) {}

  /** @throws RestoreError without a store, or if it does not respond */
  async check(): Promise<void> {
    for (const space of ['media', 'admin_media'] as const)
      if (!(await (await this.bucketOf(space)).answers()))
        throw new RestoreError('the media storage does not respond: nothing was restored')
  }

  async put({ space, key, mimetype }: MediaObject, { content }: ArchiveEntry): Promise<void> {
    const scratch = await archives.scratch()
    try {
      for await (const piece of content) await scratch.write(piece)
      await (await this.bucketOf(space)).put(key, await scratch.close(), servedAs(mimetype))
    } finally {
      await scratch.discard()
    }
  }

  private bucketOf(space: MediaSpaceName): Promise<Bucket> {
    const address = mediaAddress(this.site.config, space)
    if (!address) throw new RestoreError('the backup has media, but no storage for media is configured')
    const bucket = this.buckets.get(space) ?? storage.open(address)
    this.buckets.set(space, bucket)
    return bucket
  }
}

/** @throws RestoreError for a database with data, unless it may be replaced */
async function refuseUsed(dialect: Dialect, force: boolean): Promise<void> {
  const used = force ? undefined : await firstUsedTable(dialect, dialect.read)
  if (used)
    throw new RestoreError(
      `the database is not empty (${used} has rows): restore into an empty one, or replace its whole content with --force`,
    )
}

const losesHeaders = ({ of: { table, columns }, rows }: DumpedRows): number =>
  table.name === 'webhooks' ? rows.filter(row => row[columns.indexOf('headers')] !== '{}').length : 0

interface Restoring {
  readonly file: string
  readonly force: boolean
  readonly config: Config
  readonly log: Log
  readonly terminal: Terminal
}

interface Counts {
  readonly media: number
  readonly records: number
}

/** Stores the media, then all rows in one transaction. @returns the number of webhooks that need their headers again */
async function fill(dialect: Dialect, restoring: Restoring, { media, records }: Counts) {
  const { file, force, terminal } = restoring
  await refuseUsed(dialect, force)
  await migrate(dialect, migrations, { now: () => timestamp(Date.now()) })
  if (media > 0) {
    const target = new MediaTarget(restoring)
    await target.check()
    const line = progressLine(terminal)
    await checkArchive(checking, file, {
      media: (object, entry) => target.put(object, entry),
      progress: done => line.draw(stepOfArchive('restore', { ...done, recordsInAll: undefined })),
    })
    line.end()
  }
  const line = progressLine(terminal)
  let withoutHeaders = 0
  async function* rows() {
    for await (const some of rowsOfArchive(checking, file)) {
      withoutHeaders += losesHeaders(some)
      yield some
    }
  }
  const progress = (done: number) => line.draw({ doing: 'restore', of: 'records', done, total: records })
  await restoreRows(dialect, rows(), { replace: force, progress })
  line.end()
  return withoutHeaders
}

async function fillDatabase(restoring: Restoring, counts: Counts): Promise<number> {
  const { config, log } = restoring
  const dialect = await connect(config)
  try {
    await untilAnswering(dialect, config, log)
    return await fill(dialect, restoring, counts)
  } finally {
    await dialect.close()
  }
}

async function completeSite({ config, log, terminal }: Restoring): Promise<void> {
  const { db, services } = await open({
    config,
    ports: nodePorts(log),
    variables: terminal.variables,
    showAdministrator: showAdministrator(terminal),
    onlyExisting: databaseFile(config) !== undefined,
  })
  await services.settle()
  await db.close()
}

/**
 * Restores a backup: all of its rows or none. It checks the whole file before it writes anything.
 * @throws the problem of the file, or of the target
 */
export const backupRestore: LocalCommand['run'] = async (terminal, options, [file = '']) => {
  refuseNoFile(file)
  const { config } = loadConfig(options.config, terminal.variables)
  const force = options.force !== undefined
  const restoring = { file, force, config, log: commandLog(terminal), terminal }
  const line = progressLine(terminal)
  const { manifest, missing } = await checkArchive(checking, file, {
    progress: done => line.draw(stepOfArchive('verify', done)),
  })
  line.end()
  const media = manifest.media - missing.length
  const withoutHeaders = await fillDatabase(restoring, { media, records: manifest.records })
  await completeSite(restoring)
  const { records, version, created_at } = manifest
  const restored = { records, media, missing, version, created_at, webhooks_without_headers: withoutHeaders }
  const lines = [
    `Restored ${records} records and ${media} media from the backup of ${created_at}.`,
    ...(missing.length > 0
      ? [`${missing.length} media files were not in the media storage when the backup was made.`]
      : []),
    ...(withoutHeaders > 0
      ? [`${withoutHeaders} webhooks have headers whose values are not part of a backup: set them again.`]
      : []),
  ]
  show(terminal, options, restored, lines.join('\n'))
  return 0
}
