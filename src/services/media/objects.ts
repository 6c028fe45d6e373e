import { systemActor } from '../../actor.js'
import type { Config } from '../../config.js'
import type { StoredVariant } from '../../db/content-tables.js'
import type { Database } from '../../db/database.js'
import type { Writer } from '../../db/writer.js'
import { badRequest, conflict } from '../../errors.js'
import { timestamp } from '../../ids.js'
import type { Bucket, Ports, TemporaryFile } from '../../ports.js'
import { endLease, takeLease } from '../operation/leases.js'
import type { PendingWork } from '../operation/pending-work.js'
import { servedAs } from './file-names.js'
import { type FittedImage, type FocalGiven, type Rendered, render } from './rendering.js'
import { type MediaSpaceName, type MediaStorage, stored } from './storage.js'
import { Uploads } from './uploads.js'

export interface ObjectParts extends Pick<Ports, 'images' | 'log'> {
  storage: MediaStorage
  pending: PendingWork
  config: () => Config
  /** Whether objects must stay, for a backup is being made of rows that name them. */
  areKept: () => Promise<boolean>
}

const replacementMs = 600_000
export const changedMeanwhile = 'somebody replaced the file in the meantime'

type WriteRecord<Made, T> = (made: Made, done: (tx: Writer) => Promise<void>) => Promise<T>

const withoutEnding = (name: string) => name.replace(/\.[^.]*$/, '')

/** A key that no other variant has, nor one that some disks take for the same: presets may differ by case alone. */
function freeKey(stem: string, extension: string, taken: readonly string[]): string {
  const folded = new Set(taken.map(key => key.toLowerCase()))
  let key = `${stem}.${extension}`
  for (let n = 2; folded.has(key.toLowerCase()); n++) key = `${stem}-${n}.${extension}`
  return key
}

async function putVariants(
  bucket: Bucket,
  { folder, base, keys }: { folder: string; base: string; keys: string[] },
  made: readonly FittedImage[],
): Promise<StoredVariant[]> {
  const variants: StoredVariant[] = []
  for (const { name, width, height, fit, mimetype, extension, bytes } of made) {
    const label = name.replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')
    const key = freeKey(`${folder}${base}-${label}-${width}x${height}`, extension, keys)
    keys.push(key)
    await bucket.put(key, bytes, { mimetype, attachment: false })
    variants.push({ name, width, height, fit, mimetype, size: bytes.byteLength, key })
  }
  return variants
}

/** The way of media into the store and out of it; never a record without its objects. */
export class MediaObjects {
  private readonly uploads: Uploads

  constructor(
    private readonly db: Database,
    private readonly space: MediaSpaceName,
    private readonly parts: ObjectParts,
  ) {
    const { log, pending } = parts
    pending.on(space, keys => this.tryToRemove(keys))
    this.uploads = new Uploads(db, { space, log, removeObjects: keys => this.removeObjects(keys) })
  }

  /** Puts a new file and its variants; `record` is given their names and writes the record. */
  store<T>(
    file: TemporaryFile,
    { name, mimetype, images }: { name: string; mimetype: string; images: readonly FittedImage[] },
    record: WriteRecord<{ media_id: string; object_key: string; variants: StoredVariant[] }, T>,
  ): Promise<T> {
    const { storage, log } = this.parts
    const folderOf = (id: string) => `${storage.prefix()}${id}/`
    return this.uploads.run(folderOf, async ({ id, keys, done }) => {
      const objects = await stored(log, async () => {
        const bucket = await storage.bucket()
        const object_key = `${folderOf(id)}${name}`
        keys.push(object_key)
        await bucket.put(object_key, file, servedAs(mimetype))
        const place = { folder: `${folderOf(id)}${id}/`, base: withoutEnding(name), keys }
        return { media_id: id, object_key, variants: await putVariants(bucket, place, images) }
      })
      return record(objects, done)
    })
  }

  /** Makes the variants of an item again, under new names; the old ones stay until the record has the new. */
  replace<T>(
    item: { object_key: string; mimetype: string },
    focal: FocalGiven,
    record: WriteRecord<Pick<Rendered, 'facts' | 'thumbhash'> & { variants: StoredVariant[] }, T>,
  ): Promise<T> {
    const { storage, log } = this.parts
    const nameAt = item.object_key.lastIndexOf('/') + 1
    const folderOf = (id: string) => `${item.object_key.slice(0, nameAt)}${id}/`
    return this.uploads.run(folderOf, async ({ id, keys, done }) => {
      const bucket = await storage.bucket()
      const file = await stored(log, () => bucket.fetch(item.object_key))
      if (!file) throw badRequest('the original is not in the media storage')
      try {
        const { facts, images, thumbhash } = await this.render(file.path, item.mimetype, focal)
        const place = { folder: folderOf(id), base: withoutEnding(item.object_key.slice(nameAt)), keys }
        const variants = await stored(log, () => putVariants(bucket, place, images))
        return await record({ facts, thumbhash, variants }, done)
      } finally {
        await file.discard()
      }
    })
  }

  /**
   * Puts another file at the address of an item, with variants under new names. The old file comes back if anything
   * fails. One replacement of an item goes on at a time (docs/decisions/083-media.md).
   * @param made.kept the file that is there now, if it stays beside the new one, under a name that `record` is given
   * @throws 409 during another one or a backup
   */
  async replaceFile<T>(
    { media_id, object_key, mimetype }: { media_id: string; object_key: string; mimetype: string },
    {
      file,
      images,
      kept,
    }: { file: TemporaryFile; images: readonly FittedImage[]; kept?: TemporaryFile | undefined },
    record: WriteRecord<{ variants: StoredVariant[]; keptKey: string | null }, T>,
  ): Promise<T> {
    const { storage, log, areKept } = this.parts
    if (await areKept()) throw conflict('a backup is running: replace the file when it has ended')
    const nameAt = object_key.lastIndexOf('/') + 1
    const folderOf = (id: string) => `${object_key.slice(0, nameAt)}${id}/`
    let before: TemporaryFile | undefined
    const replaced = this.uploads.run(folderOf, async upload => {
      const { id, keys } = upload
      const lease = { name: `file of ${media_id}`, holder: id }
      await this.takeTurn(lease)
      upload.restore = () => this.db.write(systemActor, tx => endLease(tx, lease))
      const bucket = await storage.bucket()
      before = await stored(log, () => bucket.fetch(object_key))
      const put = (content: TemporaryFile, key = object_key) =>
        stored(log, () => bucket.put(key, content, servedAs(mimetype)))
      const keptKey = kept ? `${folderOf(id)}${object_key.slice(nameAt)}` : null
      if (kept && keptKey) {
        // Read before this replacement began, and maybe during another one.
        if (kept.hash !== before?.hash) throw conflict(changedMeanwhile)
        keys.push(keptKey)
        await put(kept, keptKey)
      }
      const place = { folder: folderOf(id), base: withoutEnding(object_key.slice(nameAt)), keys }
      const variants = await stored(log, () => putVariants(bucket, place, images))
      upload.restore = async () => {
        if (before) await put(before)
        await this.db.write(systemActor, tx => endLease(tx, lease))
      }
      await put(file)
      return record({ variants, keptKey }, async tx => {
        await upload.done(tx)
        await endLease(tx, lease)
      })
    })
    return replaced.finally(() => before?.discard())
  }

  private async takeTurn(lease: { name: string; holder: string }): Promise<void> {
    const taken = await this.db.write(systemActor, tx =>
      takeLease(tx, { ...lease, until: timestamp(Date.parse(tx.now) + replacementMs) }),
    )
    if (!taken) throw conflict('the file is being replaced by somebody else')
  }

  /** @throws 400 for an image that is too large or cannot be read */
  render(path: string, mimetype: string, focal: FocalGiven) {
    const { images, log, config } = this.parts
    const formats = config().media_formats
    return render({ db: this.db, images, log, formats }, { path, mimetype, focal })
  }

  /** Removes objects. Failures are retried later; an object that stays in the end is a leftover, which health finds. */
  async removeObjects(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return
    const failed = await this.tryToRemove(keys)
    if (failed.length === 0) return
    const { log, pending } = this.parts
    log.warn({ keys: failed }, 'media files could not be removed from the storage: this will be retried')
    await pending
      .add(this.space, failed)
      .catch(error =>
        log.warn({ err: error, keys: failed }, 'media files could not be removed and remain in the storage'),
      )
  }

  /** @returns those that could not be removed, or must stay for now */
  private async tryToRemove(keys: readonly string[]): Promise<readonly string[]> {
    const { storage, areKept } = this.parts
    try {
      if (await areKept()) return keys
      return await (await storage.bucket()).remove(keys)
    } catch {
      return keys
    }
  }
}
