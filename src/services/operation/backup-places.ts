import type { Actor } from '../../actor.js'
import type { Config } from '../../config.js'
import { forbidden, notConfigured } from '../../errors.js'
import type { Archives, Ports, TemporaryFile } from '../../ports.js'
import type { AccessService } from '../accounts/access.js'
import { backupPrefix, mediaAddress } from '../media/storage.js'

/** Where a backup is: kept by the service in its folder or bucket, or a file that somebody asked for. */
export type BackupStorage = Config['backup_option'] | 'file'

/** Where new backups are put, and how they are removed again. */
export interface BackupPlace {
  readonly storage: BackupStorage
  locationOf(name: string): string
  pathOf(name: string): string
  keep(name: string, archive: TemporaryFile): Promise<void>
  /** Removes the backup at a location; a missing one counts as removed. */
  remove(location: string): Promise<void>
}

type BackupPlaceParts = Pick<Ports, 'archives' | 'storage'> & { config: () => Config }

/** A backup has every row: hashes of passwords, sealed secrets and drafts too. @throws 403 for all but administrators */
export async function refuseToTakeAway(
  access: Pick<AccessService, 'isAdministrator'>,
  actor: Actor,
): Promise<void> {
  if (!(await access.isAdministrator(actor))) throw forbidden('only an administrator can download a backup')
}

/** The bucket of backups. @throws 400 where it is not configured, or is one of media */
export function bucketAddress(config: Config) {
  const { bucket_backup } = config
  const address = bucket_backup && mediaAddress({ ...config, bucket_media: bucket_backup }, 'media')
  if (!address) throw notConfigured('bucket_backup and its storage must be configured for backups')
  // Buckets of media are read by everybody.
  for (const space of ['media', 'admin_media'] as const) {
    const media = mediaAddress(config, space)
    if (media?.endpoint === address.endpoint && media.bucket === address.bucket)
      throw notConfigured(
        'bucket_backup must be a different bucket from those for media, because browsers can read these',
      )
  }
  return address
}

/** @throws 400 where backups are to be in a bucket and that is not configured */
export function backupPlace({ archives, storage, config }: BackupPlaceParts): BackupPlace {
  const { backup_option, backup_dir } = config()
  const pathOf = (name: string) => archives.absolute(`${backup_dir}/${name}`)
  if (backup_option === 'local')
    return {
      storage: 'local',
      pathOf,
      locationOf: pathOf,
      keep: async () => undefined,
      remove: location => archives.remove(location),
    }
  const address = bucketAddress(config())
  const root = `${address.bucket}/`
  return {
    storage: 's3',
    pathOf,
    locationOf: name => `${root}${backupPrefix}${name}`,
    async keep(name, archive) {
      const bucket = await storage.open(address)
      await bucket.put(`${backupPrefix}${name}`, archive, { mimetype: 'application/gzip', attachment: true })
      await archives.remove(archive.path)
    },
    async remove(location) {
      if (!location.startsWith(root)) return
      const bucket = await storage.open(address)
      const failed = await bucket.remove([location.slice(root.length)])
      if (failed.length > 0) throw new Error(`${location} could not be removed`)
    },
  }
}

/**
 * A file that somebody asked for, which stays theirs.
 * @param shown what the record says of where it is; its whole path unless it is given
 */
export const filePlace = (
  archives: Archives,
  path: string,
  shown = archives.absolute(path),
): BackupPlace => ({
  storage: 'file',
  pathOf: () => archives.absolute(path),
  locationOf: () => shown,
  keep: async () => undefined,
  remove: async () => undefined,
})
