import type { Actor } from '../../actor.js'
import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { conflict, notFound } from '../../errors.js'
import type { Ports } from '../../ports.js'
import type { AccessService } from '../accounts/access.js'
import { reads } from '../crud.js'
import { bucketAddress, refuseToTakeAway } from './backup-places.js'

const addressSeconds = 300

type Download =
  | { readonly name: string; readonly size: number; readonly bytes: ReadableStream<Uint8Array> }
  | { readonly address: string }

interface DownloadParts extends Pick<Ports, 'archives' | 'clock' | 'storage'> {
  config: () => Config
  access: Pick<AccessService, 'isAdministrator'>
}

const nameOf = (location: string) => location.split(/[/\\]/).at(-1) ?? ''

/** Archives that the service keeps, for who takes one away. */
export const backupDownloads = (
  db: Database,
  { archives, storage, clock, config, access }: DownloadParts,
) => {
  const { get } = reads(db, tables.backups)

  async function inBucket(location: string): Promise<Download> {
    const address = bucketAddress(config())
    const root = `${address.bucket}/`
    if (!location.startsWith(root)) throw notFound()
    const bucket = await storage.open(address)
    const how = { name: nameOf(location), seconds: addressSeconds, now: clock.now() }
    return { address: await bucket.signedUrl(location.slice(root.length), how) }
  }

  async function inFolder(location: string): Promise<Download> {
    const file = await archives.stored(location)
    if (!file) throw notFound()
    return { name: nameOf(location), ...file }
  }

  return {
    /**
     * The archive of a backup. It leaves an audit event, because it holds all data of the site.
     * @throws 403 for all but administrators; 404 for an archive that is gone, on another machine, or a file of
     * somebody's own; 409 for one that is not complete
     */
    async download(actor: Actor, id: string): Promise<Download> {
      await refuseToTakeAway(access, actor)
      const { backup_id, status, storage: kind, location } = await get(id)
      if (status !== 'completed') throw conflict('this backup is not complete')
      if (kind === 'file') throw notFound()
      const found = kind === 's3' ? await inBucket(location) : await inFolder(location)
      await db.write(actor, async tx => tx.note('backups.download', backup_id, {}, { location }))
      return found
    },
  }
}
