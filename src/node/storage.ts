import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { cacheControl, attachment as disposition } from '../object-headers.js'
import type { Bucket, StoreAddress, StoredObject, TemporaryFile } from '../ports.js'
import { temporaryFile } from './temporary-files.js'

const [connectTimeoutMs, idleTimeoutMs] = [3000, 6000]
const minBytesPerSecond = 50_000
/** Larger files go up in parts: S3 takes at most 5 GB in one request, and 10,000 parts. */
const usualPartBytes = 64 * 2 ** 20
const maxParts = 10_000
/** The most that one request may remove; S3's own limit. */
const maxKeysPerRemoval = 1000

const transferTimeoutMs = (bytes: number) => Math.ceil(idleTimeoutMs + (bytes / minBytesPerSecond) * 1000)

const ignore = () => undefined

const clientOf = ({ region, accessKey, secretKey, pathStyle }: StoreAddress, endpoint: string) =>
  new S3Client({
    endpoint,
    region,
    forcePathStyle: pathStyle,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    maxAttempts: 2,
    // Failures are thrown, and the caller logs them.
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    // Stores that are not Amazon's do not know its newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: connectTimeoutMs, socketTimeout: idleTimeoutMs },
  })

const within = (timeoutMs: number) => ({ abortSignal: AbortSignal.timeout(timeoutMs) })

class S3Bucket implements Bucket {
  private readonly name: string
  private readonly client: S3Client
  private readonly publicClient: S3Client

  constructor(
    address: StoreAddress,
    private readonly partBytes = usualPartBytes,
  ) {
    const { bucket, endpoint, publicEndpoint } = address
    this.name = bucket
    this.client = clientOf(address, endpoint)
    this.publicClient = publicEndpoint === endpoint ? this.client : clientOf(address, publicEndpoint)
  }

  async put(
    ...[key, content, { mimetype, attachment, replaceable }]: Parameters<Bucket['put']>
  ): Promise<void> {
    const isFile = 'path' in content
    const size = isFile ? content.size : content.byteLength
    const object = {
      Bucket: this.name,
      Key: key,
      ContentType: mimetype,
      CacheControl: cacheControl(replaceable),
      ...(attachment ? { ContentDisposition: 'attachment' } : {}),
    }
    if (isFile && size > this.partBytes) return this.putInParts(object, content)
    await this.client.send(
      new PutObjectCommand({
        ...object,
        Body: isFile ? createReadStream(content.path) : content,
        ContentLength: size,
      }),
      within(transferTimeoutMs(size)),
    )
  }

  /** Readers see the whole object or nothing. */
  private async putInParts(
    object: { Bucket: string; Key: string; ContentType: string },
    file: TemporaryFile,
  ): Promise<void> {
    const { Bucket, Key } = object
    const { UploadId } = await this.client.send(
      new CreateMultipartUploadCommand(object),
      within(idleTimeoutMs),
    )
    const upload = { Bucket, Key, UploadId }
    try {
      const Parts = await this.uploadParts(upload, file)
      // The store may take its time to put the parts together.
      const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } })
      await this.client.send(complete, within(transferTimeoutMs(this.partBytes)))
    } catch (error) {
      await this.client
        .send(new AbortMultipartUploadCommand(upload), within(idleTimeoutMs))
        .catch(() => undefined)
      throw error
    }
  }

  private async uploadParts(
    upload: { Bucket: string; Key: string; UploadId: string | undefined },
    { path, size }: TemporaryFile,
  ): Promise<{ PartNumber: number; ETag: string | undefined }[]> {
    const length = Math.max(this.partBytes, Math.ceil(size / maxParts))
    const parts: { PartNumber: number; ETag: string | undefined }[] = []
    for (let start = 0; start < size; start += length) {
      const end = Math.min(start + length, size)
      const PartNumber = parts.length + 1
      const Body = createReadStream(path, { start, end: end - 1 })
      const part = new UploadPartCommand({ ...upload, PartNumber, Body, ContentLength: end - start })
      const { ETag } = await this.client.send(part, within(transferTimeoutMs(end - start)))
      parts.push({ PartNumber, ETag })
    }
    return parts
  }

  async fetch(key: string): Promise<TemporaryFile | undefined> {
    const command = new GetObjectCommand({ Bucket: this.name, Key: key })
    const found = await this.client.send(command, within(idleTimeoutMs)).catch(error => {
      if (error instanceof NoSuchKey) return undefined
      throw error
    })
    if (!found) return undefined
    const { Body, ContentLength = 0 } = found
    if (!(Body instanceof Readable)) throw new Error('the store sent no content')
    const signal = AbortSignal.timeout(transferTimeoutMs(ContentLength))
    const file = await temporaryFile(Body, { signal })
    if (file.size === ContentLength) return file
    await file.discard()
    throw new Error('the store sent less than the object holds')
  }

  async remove(keys: readonly string[]): Promise<string[]> {
    const failed: string[] = []
    for (let from = 0; from < keys.length; from += maxKeysPerRemoval) {
      const some = keys.slice(from, from + maxKeysPerRemoval)
      const objects = { Objects: some.map(Key => ({ Key })), Quiet: true }
      const { Errors = [] } = await this.client
        .send(new DeleteObjectsCommand({ Bucket: this.name, Delete: objects }), within(idleTimeoutMs))
        .catch(() => ({ Errors: some.map(Key => ({ Key, Code: 'Unreachable' })) }))
      failed.push(...Errors.flatMap(({ Key, Code }) => (Key && Code !== 'NoSuchKey' ? [Key] : [])))
    }
    return failed
  }

  async *list(prefix: string): AsyncGenerator<StoredObject[]> {
    for (let next: string | undefined, more = true; more; ) {
      const from = next ? { ContinuationToken: next } : {}
      const page = await this.client.send(
        new ListObjectsV2Command({ Bucket: this.name, Prefix: prefix, ...from }),
        within(idleTimeoutMs),
      )
      yield (page.Contents ?? []).flatMap(({ Key, Size = 0 }) => (Key ? [{ key: Key, size: Size }] : []))
      next = page.NextContinuationToken
      more = page.IsTruncated === true && next !== undefined
    }
  }

  signedUrl(key: string, { name, seconds }: { name: string; seconds: number }): Promise<string> {
    const command = new GetObjectCommand({
      Bucket: this.name,
      Key: key,
      ResponseContentDisposition: disposition(name),
    })
    return getSignedUrl(this.publicClient, command, { expiresIn: seconds })
  }

  answers(): Promise<boolean> {
    return this.client.send(new HeadBucketCommand({ Bucket: this.name }), within(connectTimeoutMs)).then(
      () => true,
      () => false,
    )
  }
}

/** Opens stores that speak S3. @param partBytes size of one part; larger files are uploaded in several parts */
export const storageInParts = (partBytes?: number) => ({
  open: async (address: StoreAddress): Promise<Bucket> => new S3Bucket(address, partBytes),
})
export const storage = storageInParts()
