import { z } from 'zod'
import { systemActor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { type ContentSpace, internalTables } from '../../db/tables.js'
import { conflict } from '../../errors.js'
import { isUlid, timestamp } from '../../ids.js'
import type { Clock, Log, StoredObject } from '../../ports.js'
import { keysOf } from './record.js'
import { backupPrefix, type MediaStorage, stored } from './storage.js'
import { uploadDeadAfterMs } from './uploads.js'

export const MediaHealth = z.object({
  total_objects: z.int(),
  tracked_objects: z.int(),
  orphaned_objects: z.int(),
  orphaned_keys: z.array(z.string()),
  missing_objects: z.int(),
})

export const MediaCleanup = z.object({
  deleted: z.array(z.string()),
  deleted_count: z.int(),
  failed: z.array(z.string()),
  failed_count: z.int(),
})
type MediaCleanup = z.output<typeof MediaCleanup>

const maxListedKeys = 1000

interface Space {
  readonly space: ContentSpace
  readonly storage: MediaStorage
}

interface MediaHealthParts {
  clock: Clock
  log: Log
  /** Whether objects must stay, for a backup is being made of rows that name them. */
  areKept: () => Promise<boolean>
}

interface Sorted {
  readonly total: number
  readonly tracked: number
  readonly orphans: readonly string[]
}

const { mediaUploads } = internalTables

/** Compares the objects in the store with those that the records name. */
export class MediaHealthService {
  /** @param all both media spaces, which may share a bucket; @param own the one that is looked at */
  constructor(
    private readonly db: Database,
    private readonly own: Space,
    private readonly all: () => readonly Space[],
    private readonly parts: MediaHealthParts,
  ) {}

  async health(): Promise<z.output<typeof MediaHealth>> {
    const found = { total_objects: 0, tracked_objects: 0, orphaned_objects: 0 }
    const orphaned_keys: string[] = []
    const expected = await this.countRecorded()
    for await (const { total, tracked, orphans } of this.pieces()) {
      found.total_objects += total
      found.tracked_objects += tracked
      found.orphaned_objects += orphans.length
      orphaned_keys.push(...orphans.slice(0, maxListedKeys - orphaned_keys.length))
    }
    return { ...found, orphaned_keys, missing_objects: Math.max(0, expected - found.tracked_objects) }
  }

  /**
   * Deletes what no record of either space names, backups and uploads in progress excepted.
   * @throws 409 when no media is recorded at all, unless it is forced: then the database may be the wrong one
   */
  async cleanup(force: boolean): Promise<MediaCleanup> {
    if (await this.parts.areKept()) throw conflict('a backup is running: try again when it has ended')
    const bucket = await this.own.storage.bucket()
    if (!force && (await this.countRecorded()) === 0)
      throw conflict(
        'there are no media records, so every file would be deleted: use force=true to delete them anyway',
      )
    const result: MediaCleanup = { deleted: [], deleted_count: 0, failed: [], failed_count: 0 }
    for await (const { orphans } of this.pieces()) {
      if (orphans.length === 0) continue
      const failed = new Set(await bucket.remove(orphans))
      const deleted = orphans.filter(key => !failed.has(key))
      result.deleted_count += deleted.length
      result.failed_count += failed.size
      result.deleted.push(...deleted.slice(0, maxListedKeys - result.deleted.length))
      result.failed.push(...[...failed].slice(0, maxListedKeys - result.failed.length))
    }
    await this.forgetDeadUploads()
    return result
  }

  private async countRecorded(): Promise<number> {
    let objects = 0
    for (const { space } of this.neighbours())
      for await (const rows of this.db.stream(space.media, {}))
        for (const row of rows) objects += keysOf(row).length
    return objects
  }

  private async *pieces(): AsyncGenerator<Sorted> {
    const { storage } = this.own
    const bucket = await storage.bucket()
    const listing = bucket.list(storage.prefix())[Symbol.asyncIterator]()
    for (;;) {
      const piece = await stored(this.parts.log, () => listing.next())
      if (piece.done) return
      yield await this.sort(piece.value)
    }
  }

  /** Which of the objects are named by a record; both reads see what was committed before the listing. */
  private async sort(objects: readonly StoredObject[]): Promise<Sorted> {
    const keys = objects.map(({ key }) => key).filter(key => !key.startsWith(backupPrefix))
    // Read before the records: an upload that ends in between is found there.
    const uploads = await this.db.findAll(mediaUploads)
    const since = this.deadSince()
    const going = uploads.filter(({ started_at }) => started_at > since)
    const known = await this.recordedAmong(keys)
    const inProgress = (key: string) => going.some(({ key_prefix }) => key.startsWith(key_prefix))
    return {
      total: keys.length,
      tracked: keys.filter(key => known.has(key)).length,
      orphans: keys.filter(key => !known.has(key) && !inProgress(key)),
    }
  }

  /** The keys that records name whose ids are part of one of these. */
  private async recordedAmong(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const ids = new Set(keys.flatMap(key => key.split('/').filter(isUlid)))
    const known = new Set<string>()
    for (const { space } of this.neighbours())
      for (const row of await this.db.findIn(space.media, 'media_id', [...ids]))
        for (const key of keysOf(row)) known.add(key)
    return known
  }

  private async forgetDeadUploads(): Promise<void> {
    const since = this.deadSince()
    for (const { upload_id, started_at } of await this.db.findAll(mediaUploads))
      if (started_at <= since)
        await this.db.write(systemActor, tx => tx.deleteInternal(mediaUploads, upload_id))
  }

  private neighbours(): Space[] {
    const place = this.own.storage.place()
    return this.all().filter(({ storage }) => storage.place() === place)
  }

  /** An upload that has not said since then that it is alive is dead. */
  private deadSince(): string {
    return timestamp(this.parts.clock.now() - uploadDeadAfterMs)
  }
}
