import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import type { MediaRow } from '../../db/queries/media.js'
import type { ContentSpace } from '../../db/tables.js'
import { forbidden, notFound } from '../../errors.js'
import { isUlid } from '../../ids.js'
import { attachment } from '../../object-headers.js'
import type { Bucket, BucketAddress, Clock, Log, ReadableObject, Storage } from '../../ports.js'
import { isSigned } from '../../signed-address.js'
import { type ServedAs, servedAs } from './file-names.js'
import { mediaAddress, stored } from './storage.js'

/** The ids of an object's key: those of its item, and of the rendering of a variant. */
const maxIds = 4

/** The address of an object, with the permit that its query claims. */
export interface Wanted {
  readonly bucket: string
  readonly key: string
  readonly permit: { readonly name: string; readonly expires: string; readonly signature: string } | undefined
}

export interface ServedObject {
  readonly object: ReadableObject
  readonly mimetype: string
  /** As `Content-Disposition` says it; undefined for what browsers may show. */
  readonly disposition: string | undefined
  readonly replaceable: boolean
  /** For the holder of a permit alone. */
  readonly isPrivate: boolean
}

interface Space {
  readonly space: Pick<ContentSpace, 'media'>
  readonly storage: { address(): BucketAddress | undefined; bucket(): Promise<Bucket> }
}

interface Parts {
  db: Database
  clock: Clock
  log: Log
  storage: Storage
  config: () => Config
  spaces: readonly Space[]
}

/** The whole of a cropped image is for the holder of a permit alone. */
function kindIn(row: MediaRow, { key, permit }: Wanted): ServedAs | undefined {
  const { object_key, uncropped_key, mimetype, variants } = row
  if (object_key === key || (permit && uncropped_key === key)) return servedAs(mimetype)
  const variant = variants.find(one => one.key === key)
  return variant && { mimetype: variant.mimetype, attachment: false }
}

type Found = { readonly bucket: Bucket } & ServedAs

/**
 * Returns a function that finds the objects which the service serves itself, for buckets that are folders. A file that
 * a record names is public, as in a public bucket. Anything else needs a permit, such as the archive of a backup.
 */
export function servedMedia({ db, clock, log, storage, config, spaces }: Parts) {
  const folderOf = ({ storage }: Space) => {
    const address = storage.address()
    return address && 'folder' in address ? address : undefined
  }

  /** The object of a record, as its bucket serves it. */
  async function recorded(wanted: Wanted): Promise<Found | undefined> {
    const { bucket, key } = wanted
    const ids = [...new Set(key.split('/').filter(isUlid))].slice(0, maxIds)
    if (ids.length === 0) return undefined
    for (const space of spaces) {
      if (folderOf(space)?.bucket !== bucket) continue
      for (const row of await db.findIn(space.space.media, 'media_id', ids)) {
        const kind = kindIn(row, wanted)
        if (kind) return { bucket: await space.storage.bucket(), ...kind }
      }
    }
    return undefined
  }

  /** The object of a bucket that has no records, for the holder of a permit. */
  async function unrecorded({ bucket }: Wanted): Promise<Found | undefined> {
    const { bucket_backup } = config()
    const address = mediaAddress({ ...config(), bucket_media: bucket_backup }, 'media')
    if (bucket_backup !== bucket || !address || !('folder' in address)) return undefined
    return { bucket: await storage.open(address), mimetype: 'application/octet-stream', attachment: true }
  }

  /** @throws 403 for a permit that is forged or over */
  async function refuseInvalid({ bucket, key, permit }: Wanted): Promise<void> {
    if (!permit) return
    const { app_secret } = config()
    const { name, signature } = permit
    const expires = Number(permit.expires)
    const claim = { bucket, key, name, expires }
    const isValid =
      Number.isSafeInteger(expires) && app_secret && (await isSigned(app_secret, claim, signature))
    if (!isValid) throw forbidden('the signature of this address is not valid')
    if (expires * 1000 <= clock.now()) throw forbidden('this address has expired')
  }

  /** @throws 404 for a missing or private object, 403 for a permit that is forged or over */
  return async (wanted: Wanted): Promise<ServedObject> => {
    if (!spaces.some(space => folderOf(space) !== undefined)) throw notFound()
    await refuseInvalid(wanted)
    const { key, permit } = wanted
    const found = (await recorded(wanted)) ?? (permit && (await unrecorded(wanted)))
    const object = await stored(log, async () => found?.bucket.read?.(key))
    if (!found || !object) throw notFound()
    const { mimetype, attachment: isAttached, replaceable = false } = found
    const disposition = permit ? attachment(permit.name) : isAttached ? attachment() : undefined
    return { object, mimetype, disposition, replaceable, isPrivate: permit !== undefined }
  }
}
