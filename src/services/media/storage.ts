import type { Config } from '../../config.js'
import { HttpError, notConfigured, unavailable } from '../../errors.js'
import { mediaFilesPath, mediaFolder } from '../../media-folder.js'
import { type Bucket, type BucketAddress, type Log, type Storage, StorageError } from '../../ports.js'
import { originOf } from '../site-origin.js'
import { trimmed, trimmedEnd } from '../text.js'

export type MediaSpaceName = 'media' | 'admin_media'

/** Objects of backups; no matter where media are, they are never looked at as media. */
export const backupPrefix = 'backups/'

const absolute = (address: string, scheme: string): string =>
  trimmedEnd(/^https?:\/\//i.test(address) ? address : `${scheme}://${address}`, '/')

/** The name of a bucket in a folder, if the configuration names none. */
const usualBucket = 'media'

/** The origin of this service for browsers; `''` if nobody knows, so that addresses are paths. */
function ownOrigin(config: Config): string {
  const { environment, port } = config
  const number = /(?<!\d)\d+$/.exec(port)?.[0]
  const isLocal = environment.startsWith('local') && number !== undefined && Number(number) > 0
  return originOf(config) || (isLocal ? `http://localhost:${number}` : '')
}

/** The settings of a space. Each setting of admin media that is not there is the shared one. */
function settingsOf(config: Config, space: MediaSpaceName) {
  const own = space === 'admin_media'
  const elsewhere = own && config.bucket_admin_endpoint
  return {
    bucket: (own && config.bucket_admin_media) || config.bucket_media,
    endpoint: (own && config.bucket_admin_endpoint) || config.bucket_endpoint,
    accessKey: (own && config.bucket_admin_access_key) || config.bucket_access_key,
    secretKey: (own && config.bucket_admin_secret_key) || config.bucket_secret_key,
    publicUrl: (own && config.bucket_admin_public_url) || (!elsewhere && config.bucket_public_url) || '',
  }
}

/** Where the media of a space are; undefined while that is not configured. */
export function mediaAddress(config: Config, space: MediaSpaceName): BucketAddress | undefined {
  const { bucket, endpoint, accessKey, secretKey, publicUrl } = settingsOf(config, space)
  const folder = mediaFolder(endpoint)
  if (endpoint && folder !== undefined)
    return {
      endpoint,
      folder,
      bucket: bucket || usualBucket,
      appSecret: config.app_secret,
      pathStyle: config.bucket_force_path_style || publicUrl === '',
      publicEndpoint: trimmedEnd(publicUrl, '/') || `${ownOrigin(config)}${mediaFilesPath}`,
    }
  if (!bucket || !endpoint || !accessKey || !secretKey) return undefined
  const scheme = config.environment.startsWith('local') ? 'http' : 'https'
  return {
    endpoint: absolute(endpoint, scheme),
    region: config.bucket_region,
    bucket,
    accessKey,
    secretKey,
    pathStyle: config.bucket_force_path_style,
    publicEndpoint: absolute(publicUrl || endpoint, scheme),
  }
}

function publicRoot({ endpoint, publicEndpoint, bucket, pathStyle }: BucketAddress): string {
  if (pathStyle) return `${publicEndpoint}/${bucket}`
  // An address of its own is the bucket's, such as a CDN's; the store's own has the bucket in its name.
  if (publicEndpoint !== endpoint) return publicEndpoint
  return publicEndpoint.replace('://', `://${bucket}.`)
}

const checkIntervalMs = 5000

export type MediaStorage = ReturnType<typeof mediaStorage>

export function mediaStorage(
  storage: Storage,
  space: MediaSpaceName,
  { config, now }: { config: () => Config; now: () => number },
) {
  let open: { name: string; bucket: Promise<Bucket> } | undefined
  let checked: { at: number; place: string; answer: Promise<boolean> } | undefined

  const address = () => mediaAddress(config(), space)
  const opened = (at: BucketAddress) => {
    const name = JSON.stringify(at)
    if (open?.name !== name) open = { name, bucket: storage.open(at) }
    return open.bucket
  }
  const place = () => {
    const at = address()
    return at ? `${at.endpoint}/${at.bucket}` : ''
  }

  return {
    address,
    /** Names the bucket, so that two spaces in one bucket differ from spaces in two buckets. */
    place,
    /** @throws 400 while storage is not configured */
    async bucket() {
      const at = address()
      if (!at) throw notConfigured('S3 storage must be configured for media uploads')
      return opened(at)
    },
    prefix() {
      const given = trimmed(config().bucket_media_prefix, '/')
      return given === '' ? '' : `${given}/`
    },
    /** The address of an object for browsers; `''` while storage is not configured. Every address is made here. */
    urlOf(key: string) {
      const at = address()
      return at ? `${publicRoot(at)}/${key.split('/').map(encodeURIComponent).join('/')}` : ''
    },
    /** Whether the store answers; null while it is not configured. Looked at every few seconds at most. */
    async answers() {
      const at = address()
      if (!at) return null
      if (checked?.place !== place() || now() - checked.at > checkIntervalMs)
        checked = { at: now(), place: place(), answer: opened(at).then(bucket => bucket.answers()) }
      return checked.answer
    },
  }
}

/** Runs what needs the store. @throws 503 when that fails, with the cause in the log */
export async function stored<T>(log: Log, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof HttpError) throw error
    log.error({ err: error }, 'the media storage failed')
    const problem = error instanceof StorageError ? error.message : 'the media storage does not respond'
    throw unavailable(problem, 5)
  }
}
