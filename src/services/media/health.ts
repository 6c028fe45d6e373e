import { systemActor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { type ContentSpace, keptTables } from '../../db/tables.js'
import { conflict } from '../../errors.js'
import { isUlid, timestamp } from '../../ids.js'
import type { Clock, Log, StoredObject } from '../../ports.js'
import { uploadDeadAfterMs } from './objects.js'
import { backupPrefix, type MediaStorage, stored } from './storage.js'

interface MediaHealth {
  total_objects: number
  tracked_objects: number
  orphaned_objects: number
  /** The first of them. */
  orphaned_keys: string[]
  /** Objects that records name and the storage does not have. */
  missing_objects: number
}

interface MediaCleanup {
  deleted: string[]
  deleted_count: number
  failed: string[]
  failed_count: number
}

export interface MediaHealthService {
  /** Compares the storage with the records, piece by piece. */
  health(): Promise<MediaHealth>
  /**
   * Deletes what no record of either space names, backups and uploads in progress excepted.
   * @throws 409 when no media is recorded at all, unless it is forced: then the database may be the wrong one
   */
  cleanup(force: boolean): Promise<MediaCleanup>
}

/** Keys that an answer lists. */
const maxListedKeys = 1000

interface Space {
  readonly space: ContentSpace
  readonly storage: MediaStorage
}

/** @param all both media spaces, which may share a bucket; @param own the one that is looked at */
export function mediaHealth(
  db: Database,
  own: Space,
  all: () => readonly Space[],
  { clock, log }: { clock: Clock; log: Log },
): MediaHealthService {
  const neighbours = () => all().filter(({ storage }) => storage.place() === own.storage.place())

  /** Which of the objects are named by a record; both reads see what was committed before the listing. */
  async function sort(objects: readonly StoredObject[]) {
    const keys = objects.map(({ key }) => key).filter(key => !key.startsWith(backupPrefix))
    // Read before the records: an upload that ends in between is found there.
    const uploads = await db.findAll(keptTables.mediaUploads)
    const since = timestamp(clock.now() - uploadDeadAfterMs)
    const going = uploads.filter(({ started_at }) => started_at > since)
    const ids = new Set(keys.flatMap(key => key.split('/').filter(isUlid)))
    const known = new Set<string>()
    for (const { space } of neighbours())
      for (const { object_key, variants } of await db.findIn(space.media, 'media_id', [...ids])) {
        known.add(object_key)
        for (const { key } of variants) known.add(key)
      }
    const inProgress = (key: string) => going.some(({ key_prefix }) => key.startsWith(key_prefix))
    return {
      total: keys.length,
      tracked: keys.filter(key => known.has(key)).length,
      orphans: keys.filter(key => !known.has(key) && !inProgress(key)),
    }
  }

  async function* pieces() {
    const bucket = await own.storage.bucket()
    const listing = bucket.list(own.storage.prefix())[Symbol.asyncIterator]()
    for (;;) {
      const piece = await stored(log, () => listing.next())
      if (piece.done) return
      yield await sort(piece.value)
    }
  }

  /** How many objects all records of the bucket together name. */
  async function recorded(): Promise<number> {
    let objects = 0
    for (const { space } of neighbours())
      for await (const rows of db.stream(space.media, {}))
        for (const { variants } of rows) objects += 1 + variants.length
    return objects
  }

  return {
    async health() {
      const found = { total_objects: 0, tracked_objects: 0, orphaned_objects: 0 }
      const orphaned_keys: string[] = []
      const expected = await recorded()
      for await (const { total, tracked, orphans } of pieces()) {
        found.total_objects += total
        found.tracked_objects += tracked
        found.orphaned_objects += orphans.length
        orphaned_keys.push(...orphans.slice(0, maxListedKeys - orphaned_keys.length))
      }
      return { ...found, orphaned_keys, missing_objects: Math.max(0, expected - found.tracked_objects) }
    },
    async cleanup(force) {
      const bucket = await own.storage.bucket()
      if (!force && (await recorded()) === 0)
        throw conflict('no media is recorded, so everything would be deleted: force=true does it')
      const result: MediaCleanup = { deleted: [], deleted_count: 0, failed: [], failed_count: 0 }
      for await (const { orphans } of pieces()) {
        if (orphans.length === 0) continue
        const failed = new Set(await bucket.remove(orphans))
        const deleted = orphans.filter(key => !failed.has(key))
        result.deleted_count += deleted.length
        result.failed_count += failed.size
        result.deleted.push(...deleted.slice(0, maxListedKeys - result.deleted.length))
        result.failed.push(...[...failed].slice(0, maxListedKeys - result.failed.length))
      }
      await forgetDeadUploads()
      return result
    },
  }

  async function forgetDeadUploads(): Promise<void> {
    const since = timestamp(clock.now() - uploadDeadAfterMs)
    for (const { upload_id, started_at } of await db.findAll(keptTables.mediaUploads))
      if (started_at <= since)
        await db.write(systemActor, tx => tx.forget(keptTables.mediaUploads, upload_id))
  }
}
