import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isWritable } from '../db/dialects/sqlite-file.js'
import { storage as stores } from '../node/ports.js'
import type { BucketAddress } from '../ports.js'
import { mediaAddress } from '../services/media/storage.js'
import { type Finding, failed, ok, type Patient, skipped, warning, wordsOf } from './doctor-finding.js'

/** The nearest folder that exists; what is missing below it is made there. */
function nearestFolder(path: string): string {
  let folder = path
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}

/** Looks at a folder of media that no upload has made yet; a diagnosis of another account must not make it. */
function missingMedia(address: BucketAddress): Finding | undefined {
  if (!('folder' in address)) return undefined
  const path = join(address.folder, address.bucket)
  const nearest = nearestFolder(path)
  if (nearest === path || !statSync(nearest).isDirectory()) return undefined
  return isWritable(nearest)
    ? skipped('storage', `${path} does not exist yet: the first upload creates it`)
    : failed(
        'storage',
        `${path} does not exist, and ${nearest} cannot be written`,
        'check bucket_endpoint and the owner of the folder',
      )
}

/** Checks the store: writes, reads and removes an object of its own. */
export async function storage({ config }: Patient): Promise<Finding> {
  const check = 'storage'
  const address = mediaAddress(config, 'media')
  if (!address) return skipped(check, 'no bucket is configured, so files cannot be uploaded')
  const missing = missingMedia(address)
  if (missing) return missing
  const place = 'folder' in address ? join(address.folder, address.bucket) : address.bucket
  const key = `slugline-doctor-${Date.now()}.txt`
  try {
    const bucket = await stores.open(address)
    await bucket.put(key, new TextEncoder().encode('x'), { mimetype: 'text/plain', attachment: true })
    const file = await bucket.fetch(key)
    await file?.discard()
    const [left] = await bucket.remove([key])
    if (!file || left)
      return failed(
        check,
        `${place} does not store and delete objects`,
        'folder' in address
          ? 'check the owner of the folder, and what other programs do there'
          : 'check the permissions of the access key',
      )
    if (address.publicEndpoint.startsWith('/'))
      return warning(
        check,
        'the addresses of media are paths without a host, which front ends elsewhere cannot use',
        'set client_site to the domain of this service, or bucket_public_url',
      )
    return ok(check, `${place} stores, returns and deletes objects`)
  } catch (error) {
    return failed(
      check,
      `${'folder' in address ? place : `${address.endpoint}, bucket ${place}`}: ${wordsOf(error)}`,
      'folder' in address
        ? 'check that bucket_endpoint names a folder, that this account may write there, and the room on its disk'
        : 'check bucket_endpoint, bucket_media, bucket_region and the keys, and that the bucket exists',
    )
  }
}
