import { systemActor } from '../../actor.js'
import type { StoredVariant } from '../../db/content-tables.js'
import type { Database } from '../../db/database.js'
import { keptTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { badRequest, invalid } from '../../errors.js'
import type { Bucket, ImageFacts, Images, Log, RenderedImage, TemporaryFile } from '../../ports.js'
import { servedAs } from './file-names.js'
import { type MediaSpaceName, type MediaStorage, stored } from './storage.js'
import { type FocalPoint, optimised, refuseTooLarge, renditionsOf } from './variants.js'

const { mediaUploads } = keptTables

/** How often an upload says that it is still alive. */
const heartbeatMs = 60_000
/** An upload that was silent for so long has died with its process. */
export const uploadDeadAfterMs = 5 * heartbeatMs

export interface Rendered {
  readonly facts: ImageFacts | undefined
  readonly images: readonly RenderedImage[]
}

/** The way of media into the store and out of it; never a record without its objects. */
export function mediaObjects(
  db: Database,
  space: MediaSpaceName,
  { images, storage, log }: { images: Images; storage: MediaStorage; log: Log },
) {
  /**
   * What an image becomes; other files stay what they are.
   * @throws 400 for an image that is too large or cannot be read
   */
  async function render(
    path: string,
    mimetype: string,
    focal: { x: number | null; y: number | null },
  ): Promise<Rendered> {
    if (!optimised.has(mimetype)) return { facts: undefined, images: [] }
    const readable = <T>(work: Promise<T>) =>
      work.catch(error => {
        log.warn({ err: error }, 'an image could not be rendered')
        const late = error instanceof Error && /timeout/i.test(error.message)
        throw invalid(
          'file',
          late ? 'the image takes too long to render' : 'the image is damaged or cannot be read',
        )
      })
    const facts = await readable(images.inspect(path))
    refuseTooLarge(facts)
    const presets = await db.findAll(tables.mediaDimensions)
    const point: FocalPoint = { x: focal.x ?? 50, y: focal.y ?? 50 }
    const wanted = renditionsOf(facts, presets, point)
    return { facts, images: await readable(images.render(path, mimetype, facts, wanted)) }
  }

  async function put(
    bucket: Bucket,
    folder: string,
    base: string,
    made: readonly RenderedImage[],
    into: string[],
  ): Promise<StoredVariant[]> {
    const variants: StoredVariant[] = []
    for (const { name, width, height, mimetype, extension, bytes } of made) {
      const label = name.replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')
      const key = `${folder}${base}-${label}-${width}x${height}.${extension}`
      into.push(key)
      await bucket.put(key, bytes, { mimetype, attachment: false })
      variants.push({ name, width, height, mimetype, size: bytes.byteLength, key })
    }
    return variants
  }

  /**
   * Keeps a note of what goes up while it does, so that nobody takes it for a leftover. `record` writes the record
   * and takes the note away, both or neither; when anything fails, what went up is removed again.
   */
  async function noted<T>(
    keyPrefix: (id: string) => string,
    work: (id: string, keys: string[], done: (tx: Writer) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const note = (tx: Writer, upload_id: string) =>
      tx.keep(mediaUploads, {
        upload_id,
        space,
        key_prefix: keyPrefix(upload_id),
        started_at: tx.now,
      })
    const id = await db.write(systemActor, async tx => {
      const id = tx.newId()
      await note(tx, id)
      return id
    })
    const alive = setInterval(() => {
      db.write(systemActor, async tx => {
        if (await tx.forget(mediaUploads, id)) await note(tx, id)
      }).catch(error => log.warn({ err: error }, 'an upload could not say that it is alive'))
    }, heartbeatMs)
    const keys: string[] = []
    const forget = async (tx: Writer) => {
      await tx.forget(mediaUploads, id)
    }
    try {
      return await work(id, keys, forget)
    } catch (error) {
      await rollBackUpload(id, keys).catch(cause =>
        log.warn({ err: cause, keys }, 'an upload that failed could not be taken back'),
      )
      throw error
    } finally {
      clearInterval(alive)
    }
  }

  /** The note is gone when the record was written after all, as when a database is lost while it commits. */
  async function rollBackUpload(upload_id: string, keys: readonly string[]): Promise<void> {
    if (!(await db.exists(mediaUploads, { upload_id }))) return
    await removeObjects(keys)
    await db.write(systemActor, tx => tx.forget(mediaUploads, upload_id))
  }

  /** What cannot be removed now is a leftover, which health finds. */
  async function removeObjects(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return
    const failed = await storage
      .bucket()
      .then(bucket => bucket.remove(keys))
      .catch(() => keys)
    if (failed.length > 0) log.warn({ keys: failed }, 'objects of media could not be removed')
  }

  return {
    render,
    removeObjects,
    /** Puts a new file and its variants; `record` is told their names and writes the record. */
    store: <T>(
      file: TemporaryFile,
      { name, mimetype }: { name: string; mimetype: string },
      made: readonly RenderedImage[],
      record: (
        id: string,
        objects: { object_key: string; variants: StoredVariant[] },
        done: (tx: Writer) => Promise<void>,
      ) => Promise<T>,
    ): Promise<T> => {
      const folderOf = (id: string) => `${storage.prefix()}${id}/`
      return noted(folderOf, async (id, keys, done) => {
        const objects = await stored(log, async () => {
          const bucket = await storage.bucket()
          const object_key = `${folderOf(id)}${name}`
          keys.push(object_key)
          await bucket.put(object_key, file, servedAs(mimetype))
          const base = name.replace(/\.[^.]*$/, '')
          return { object_key, variants: await put(bucket, `${folderOf(id)}${id}/`, base, made, keys) }
        })
        return record(id, objects, done)
      })
    },
    /** Makes the variants of an item again, under new names; the old ones stay until the record has the new. */
    replace: <T>(
      item: { media_id: string; object_key: string; mimetype: string },
      focal: { x: number | null; y: number | null },
      record: (
        made: { facts: ImageFacts | undefined; variants: StoredVariant[] },
        done: (tx: Writer) => Promise<void>,
      ) => Promise<T>,
    ): Promise<T> => {
      const folderOf = (id: string) =>
        `${item.object_key.slice(0, item.object_key.lastIndexOf('/') + 1)}${id}/`
      return noted(folderOf, async (id, keys, done) => {
        const bucket = await storage.bucket()
        const file = await stored(log, () => bucket.fetch(item.object_key))
        if (!file) throw badRequest('the original is not in the media storage')
        try {
          const { facts, images: made } = await render(file.path, item.mimetype, focal)
          const base = item.object_key.slice(item.object_key.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '')
          const variants = await stored(log, () => put(bucket, folderOf(id), base, made, keys))
          return await record({ facts, variants }, done)
        } finally {
          await file.discard()
        }
      })
    },
  }
}

export type MediaObjects = ReturnType<typeof mediaObjects>
