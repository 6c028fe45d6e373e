import type { Actor } from '../../actor.js'
import { systemActor } from '../../actor.js'
import type { Config } from '../../config.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { newestBackups } from '../../db/queries/operation.js'
import type { Reader } from '../../db/reader.js'
import { internalTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { duration } from '../../durations.js'
import { conflict, HttpError, notConfigured } from '../../errors.js'
import { timestamp } from '../../ids.js'
import { ArchiveError, type Clock, type Ports } from '../../ports.js'
import type { AccessService } from '../accounts/access.js'
import { type Crud, reads } from '../crud.js'
import type { MediaSpaceName, MediaStorage } from '../media/storage.js'
import { randomSecret } from '../secrets.js'
import { checkArchive } from './archive-check.js'
import { type Made, type Making, makeArchive } from './backup-archive.js'
import {
  type BackupPlace,
  type BackupStorage,
  backupPlace,
  filePlace,
  refuseToTakeAway,
} from './backup-places.js'
import { endLease, keepLease, leaseMs, takeLease } from './leases.js'

type BackupRecord = RowOf<typeof tables.backups>

const leaseName = 'backup'
const retryMs = 3_600_000
const stopTimeoutMs = 5000
const maxLooked = 1000

interface BackupParts extends Pick<Ports, 'archives' | 'storage' | 'clock' | 'random' | 'log'> {
  config: () => Config
  version: string
  schema: readonly string[]
  mediaStorage: (space: MediaSpaceName) => MediaStorage
  access: Pick<AccessService, 'isAdministrator'>
}

type OnProgress = Making['progress']
/** A file to make; undefined for the place that the configuration names. */
type Target = string | { readonly path: string; readonly location?: string } | undefined

/** Whether a backup is being made: its media must stay meanwhile. */
export async function backupRuns(db: Database, clock: Clock): Promise<boolean> {
  const lease = await db.get(internalTables.leases, leaseName)
  return lease !== undefined && lease.expires_at > timestamp(clock.now())
}

interface Job {
  readonly record: BackupRecord
  readonly holder: string
  readonly place: BackupPlace
  readonly name: string
  readonly progress: OnProgress
}

/** Returns the words about a failure that a caller may read; the rest is in the log. */
function problemOf(error: unknown): string {
  if (error instanceof HttpError || error instanceof ArchiveError) return error.message
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
  return `the backup failed${code}: see the log`
}

const stopped = () => conflict('the service was stopped before the backup was complete')

/** Backups of the whole site. */
export class BackupsService {
  readonly table = tables.backups
  readonly list: Crud<typeof tables.backups>['list']
  readonly count: Crud<typeof tables.backups>['count']
  readonly get: Crud<typeof tables.backups>['get']
  private readonly stopping = new AbortController()
  private readonly running = new Set<Promise<unknown>>()

  constructor(
    private readonly db: Database,
    private readonly parts: BackupParts,
  ) {
    const { list, count, get } = reads(db, tables.backups)
    ;[this.list, this.count, this.get] = [list, count, get]
  }

  /**
   * Begins a backup in the place that the configuration names.
   * @returns its record, which says how it goes
   * @throws 409 while another one is made; 400 where the place is not configured
   */
  async begin(actor: Actor): Promise<BackupRecord> {
    const job = await this.start(actor, undefined, () => undefined)
    this.run(actor, job).catch(() => undefined)
    return job.record
  }

  /**
   * Makes a backup to its end, in its place or as a file.
   * @param to the file; `location` is shown in its record in place of the path
   * @throws as `begin`, 403 for a file if the actor is not an administrator, and the error that ended the backup
   */
  async make(actor: Actor, to: Target, progress: OnProgress): Promise<BackupRecord> {
    if (to !== undefined) await refuseToTakeAway(this.parts.access, actor)
    return this.run(actor, await this.start(actor, to, progress))
  }

  async runDue(): Promise<void> {
    if (!(await this.isDue(this.db))) return
    // Another instance may have made it since then.
    const make = async () =>
      this.run(
        systemActor,
        await this.start(
          systemActor,
          undefined,
          () => undefined,
          tx => this.isDue(tx),
        ),
      )
    await make().catch(error => {
      // Another instance makes it.
      if (!(error instanceof HttpError && error.code === 'conflict')) throw error
    })
  }

  private async isDue(read: Reader): Promise<boolean> {
    const { clock, config } = this.parts
    const { backup_schedule } = config()
    if (!backup_schedule) return false
    const [last] = (await this.newest(read)).filter(({ storage }) => storage !== 'file')
    const sinceMs = last ? clock.now() - Date.parse(last.started_at) : Number.POSITIVE_INFINITY
    const everyMs = duration(backup_schedule)
    const waitMs = last?.status === 'failed' ? Math.min(retryMs, everyMs) : everyMs
    return sinceMs < 0 || sinceMs >= waitMs
  }

  /** Returns the age of the newest complete backup in seconds; undefined without one. */
  async ageSeconds(): Promise<number | undefined> {
    const [last] = await this.db.query(newestBackups(1, 'completed'), {})
    return last && (this.parts.clock.now() - Date.parse(last.started_at)) / 1000
  }

  async stop(): Promise<void> {
    this.stopping.abort(stopped())
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise(resolve => {
      timer = setTimeout(resolve, stopTimeoutMs)
    })
    await Promise.race([Promise.allSettled([...this.running]), late])
    clearTimeout(timer)
  }

  private newest(read: Reader = this.db): Promise<BackupRecord[]> {
    return read.query(newestBackups(maxLooked, 'all'), {})
  }

  private time(laterMs = 0): string {
    return timestamp(this.parts.clock.now() + laterMs)
  }

  private async start(
    actor: Actor,
    to: Target,
    progress: OnProgress,
    isWanted: (tx: Writer) => Promise<boolean> = async () => true,
  ): Promise<Job> {
    const { archives, random } = this.parts
    const { path, location } = typeof to === 'object' ? to : { path: to }
    const place = path === undefined ? backupPlace(this.parts) : filePlace(archives, path, location)
    const holder = randomSecret(random)
    const name = `slugline-${this.time().replaceAll(/[-:]|\.\d+/g, '')}-${holder.replaceAll(/[^a-zA-Z0-9]/g, '').slice(0, 6)}.tar.gz`
    const record = await this.db.write(actor, async tx => {
      if (!(await takeLease(tx, { name: leaseName, holder, until: this.time(leaseMs) })))
        throw conflict('another backup is running')
      if (!(await isWanted(tx))) throw conflict('another instance has made the backup')
      await this.closeLost(tx)
      return tx.insert(tables.backups, {
        status: 'running',
        started_at: tx.now,
        storage: place.storage satisfies BackupStorage,
        location: place.locationOf(name),
        triggered_by: actor.userId,
      })
    })
    return { record, holder, place, name, progress }
  }

  /** Whoever has the right knows that nobody works at what is still said to run. */
  private async closeLost(tx: Writer): Promise<void> {
    for (const { backup_id } of await tx.lockAll(tables.backups, { status: 'running' }))
      await tx.update(tables.backups, backup_id, {
        status: 'failed',
        completed_at: tx.now,
        error_message: 'the process that made it has ended',
      })
  }

  private run(actor: Actor, job: Job): Promise<BackupRecord> {
    // The request that has begun it has its answer.
    const { claim: _, ...worker } = actor
    const done: Promise<BackupRecord> = this.work(worker, job).finally(() => this.running.delete(done))
    this.running.add(done)
    return done
  }

  private async work(actor: Actor, job: Job): Promise<BackupRecord> {
    const { record, holder } = job
    const lost = new AbortController()
    const stopKeeping = keepLease(
      this.db,
      { name: leaseName, holder },
      { ...this.parts, lost: () => lost.abort(conflict('another process has taken over this work')) },
    )
    try {
      const made = await this.archive(job, AbortSignal.any([this.stopping.signal, lost.signal]))
      const ended = await this.note(actor, record, {
        status: 'completed',
        size_bytes: made.size,
        record_count: made.records,
        checksum: made.hash,
        error_message: made.missing.length > 0 ? missingSentence(made) : null,
      })
      if (job.place.storage !== 'file') await this.removeOld(actor, job.place)
      return ended
    } catch (error) {
      this.parts.log.error({ err: error, backup_id: record.backup_id }, 'a backup failed')
      await this.note(actor, record, { status: 'failed', error_message: problemOf(error).slice(0, 2000) })
      throw error
    } finally {
      stopKeeping()
      await this.db.write(systemActor, tx => endLease(tx, { name: leaseName, holder }))
    }
  }

  /** Makes the archive, and puts it in its place once it has been read back: an older one of this name stays until then. */
  private async archive({ place, name, progress }: Job, signal: AbortSignal): Promise<Made> {
    const { archives, clock, version, schema, mediaStorage } = this.parts
    const path = place.pathOf(name)
    if (place.storage !== 'file')
      await archives.removeLeftovers(archives.absolute(this.parts.config().backup_dir))
    const bucketOf = async (space: MediaSpaceName) => {
      const from = mediaStorage(space)
      if (from.place() === '')
        throw notConfigured('the site has media, but no storage for media is configured')
      return from.bucket()
    }
    const check = async (part: string) => {
      await checkArchive({ archives, schema }, part, { progress: () => signal.throwIfAborted() })
    }
    const made = await makeArchive(
      { db: this.db, archives, clock, version, schema, bucketOf, signal, check, progress },
      path,
    )
    try {
      const { size, hash } = made
      await place.keep(name, { path, size, hash, discard: () => archives.remove(path) })
      return made
    } catch (error) {
      await archives.remove(path)
      throw error
    }
  }

  private note(
    actor: Actor,
    { backup_id }: BackupRecord,
    patch: Partial<Omit<BackupRecord, 'backup_id'>>,
  ): Promise<BackupRecord> {
    return this.db.write(actor, async tx => {
      const { after } = await tx.update(tables.backups, backup_id, { ...patch, completed_at: tx.now })
      return after
    })
  }

  /** Removes backups older than those that are kept. One that cannot be removed is tried again after the next. */
  private async removeOld(actor: Actor, place: BackupPlace): Promise<void> {
    const own = (await this.newest()).filter(({ storage }) => storage === place.storage)
    const complete = own.filter(({ status }) => status === 'completed')
    const oldestKept = complete[this.parts.config().backup_retention - 1]
    if (!oldestKept) return
    const old = own.filter(
      ({ backup_id, status }) => backup_id < oldestKept.backup_id && status !== 'running',
    )
    for (const row of old)
      try {
        await place.remove(row.location)
        await this.db.write(actor, tx => tx.remove(tables.backups, row.backup_id))
      } catch (error) {
        this.parts.log.warn({ err: error, location: row.location }, 'an old backup could not be removed')
      }
  }
}

const missingSentence = ({ missing }: Made): string => {
  const some = missing.slice(0, 5).join(', ')
  return `the media storage does not have ${missing.length} of its objects: ${some}`.slice(0, 2000)
}
