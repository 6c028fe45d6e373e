import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { Bucket, BucketAddress, Storage } from '../ports.js'
import { temporaryFile } from './temporary-files.js'

/** How long a connection may take, and how long a store may send nothing. */
const [connectTimeoutMs, idleTimeoutMs] = [3000, 6000]
/** A store that takes or gives a file slower than this counts as away. */
const minBytesPerSecond = 50_000
/** The most that one request may remove; S3's own limit. */
const maxKeysPerRemoval = 1000

const transferTimeoutMs = (bytes: number) => Math.ceil(idleTimeoutMs + (bytes / minBytesPerSecond) * 1000)

const ignore = () => undefined

const clientOf = ({ region, accessKey, secretKey, pathStyle }: BucketAddress, endpoint: string) =>
  new S3Client({
    endpoint,
    region,
    forcePathStyle: pathStyle,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    maxAttempts: 2,
    // What fails is thrown, and logged by whom it concerns.
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    // Stores that are not Amazon's do not know its newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: connectTimeoutMs, socketTimeout: idleTimeoutMs },
  })

/** What a browser that follows a link to the object is told to do with it. */
const disposition = (name: string) =>
  `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll(/['()*]/g, found => `%${found.charCodeAt(0).toString(16)}`)}`

function bucketAt(address: BucketAddress): Bucket {
  const { bucket: Bucket, endpoint, publicEndpoint } = address
  const client = clientOf(address, endpoint)
  const forBrowsers = publicEndpoint === endpoint ? client : clientOf(address, publicEndpoint)
  const within = (timeoutMs: number) => ({ abortSignal: AbortSignal.timeout(timeoutMs) })

  return {
    async put(Key, content, { mimetype, attachment }) {
      const isFile = 'path' in content
      const size = isFile ? content.size : content.byteLength
      await client.send(
        new PutObjectCommand({
          Bucket,
          Key,
          Body: isFile ? createReadStream(content.path) : content,
          ContentLength: size,
          ContentType: mimetype,
          // An object's name is never given to another content.
          CacheControl: 'public, max-age=31536000, immutable',
          ...(attachment ? { ContentDisposition: 'attachment' } : {}),
        }),
        within(transferTimeoutMs(size)),
      )
    },
    async fetch(Key) {
      const found = await client
        .send(new GetObjectCommand({ Bucket, Key }), within(idleTimeoutMs))
        .catch(error => {
          if (error instanceof NoSuchKey) return undefined
          throw error
        })
      if (!found) return undefined
      const { Body, ContentLength = 0 } = found
      if (!(Body instanceof Readable)) throw new Error('the store sent no content')
      const file = await temporaryFile(Body, {
        signal: AbortSignal.timeout(transferTimeoutMs(ContentLength)),
      })
      if (file.size === ContentLength) return file
      await file.discard()
      throw new Error('the store sent less than the object holds')
    },
    async remove(keys) {
      const failed: string[] = []
      for (let from = 0; from < keys.length; from += maxKeysPerRemoval) {
        const some = keys.slice(from, from + maxKeysPerRemoval)
        const Delete = { Objects: some.map(Key => ({ Key })), Quiet: true }
        const { Errors = [] } = await client
          .send(new DeleteObjectsCommand({ Bucket, Delete }), within(idleTimeoutMs))
          .catch(() => ({ Errors: some.map(Key => ({ Key, Code: 'Unreachable' })) }))
        failed.push(...Errors.flatMap(({ Key, Code }) => (Key && Code !== 'NoSuchKey' ? [Key] : [])))
      }
      return failed
    },
    async *list(Prefix) {
      for (let ContinuationToken: string | undefined, more = true; more; ) {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket, Prefix, ...(ContinuationToken ? { ContinuationToken } : {}) }),
          within(idleTimeoutMs),
        )
        yield (page.Contents ?? []).flatMap(({ Key, Size = 0 }) => (Key ? [{ key: Key, size: Size }] : []))
        ContinuationToken = page.NextContinuationToken
        more = page.IsTruncated === true && ContinuationToken !== undefined
      }
    },
    signedUrl: (Key, { name, seconds }) =>
      getSignedUrl(
        forBrowsers,
        new GetObjectCommand({ Bucket, Key, ResponseContentDisposition: disposition(name) }),
        { expiresIn: seconds },
      ),
    answers: () =>
      client.send(new HeadBucketCommand({ Bucket }), within(connectTimeoutMs)).then(
        () => true,
        () => false,
      ),
  }
}

/** Stores that speak S3. */
export const storage: Storage = { open: async address => bucketAt(address) }
