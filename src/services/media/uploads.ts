import { systemActor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { internalTables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import type { Log } from '../../ports.js'
import type { MediaSpaceName } from './storage.js'

const { mediaUploads } = internalTables

const heartbeatMs = 60_000
/** An upload that was silent for this long has died with its process. */
export const uploadDeadAfterMs = 5 * heartbeatMs

/** An upload under way. */
export interface Upload {
  readonly id: string
  /** Every object is named here before it is put, so that a failure can remove it. */
  readonly keys: string[]
  /** Called before they are removed if the upload fails, to bring back what it has replaced. */
  restore: (() => Promise<void>) | undefined
  /** Takes the note away, in the transaction that writes the record: both or neither. */
  done(tx: Writer): Promise<void>
}

/** Notes running uploads in the database, so that their objects are not taken for leftovers. */
export class Uploads {
  constructor(
    private readonly db: Database,
    private readonly parts: {
      space: MediaSpaceName
      log: Log
      removeObjects: (keys: readonly string[]) => Promise<void>
    },
  ) {}

  async run<T>(prefixOf: (id: string) => string, work: (upload: Upload) => Promise<T>): Promise<T> {
    const id = await this.start(prefixOf)
    const heartbeat = setInterval(() => {
      this.renew(id, prefixOf(id)).catch(error =>
        this.parts.log.warn({ err: error }, 'the lease of an upload could not be renewed'),
      )
    }, heartbeatMs)
    const upload: Upload = { id, keys: [], restore: undefined, done: tx => this.remove(tx, id) }
    try {
      return await work(upload)
    } catch (error) {
      const { keys } = upload
      await this.rollBackUpload(upload).catch(cause =>
        this.parts.log.warn({ err: cause, keys }, 'the files of a failed upload could not be deleted'),
      )
      throw error
    } finally {
      clearInterval(heartbeat)
    }
  }

  private start(prefixOf: (id: string) => string): Promise<string> {
    return this.db.write(systemActor, async tx => {
      const id = tx.newId()
      await this.insert(tx, id, prefixOf(id))
      return id
    })
  }

  private renew(id: string, keyPrefix: string): Promise<void> {
    return this.db.write(systemActor, async tx => {
      if (await tx.deleteInternal(mediaUploads, id)) await this.insert(tx, id, keyPrefix)
    })
  }

  /** The note is gone when the record was written after all, as when a database is lost while it commits. */
  private async rollBackUpload({ id, keys, restore }: Upload): Promise<void> {
    if (!(await this.db.exists(mediaUploads, { upload_id: id }))) return
    await restore?.()
    await this.parts.removeObjects(keys)
    await this.db.write(systemActor, tx => this.remove(tx, id))
  }

  private async insert(tx: Writer, upload_id: string, key_prefix: string): Promise<void> {
    const { space } = this.parts
    await tx.insertInternal(mediaUploads, { upload_id, space, key_prefix, started_at: tx.now })
  }

  private async remove(tx: Writer, id: string): Promise<void> {
    await tx.deleteInternal(mediaUploads, id)
  }
}
