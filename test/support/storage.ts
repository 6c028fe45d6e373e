import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createServer, connect as dial, type Socket } from 'node:net'
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { whenDone } from './when-done.js'

/** An S3 store behind a line that can be cut. */
export interface TestStorage {
  /** The configuration that uses it. */
  config: Record<string, unknown>
  /** Whether it checks permissions; the embedded one does not. */
  checks: boolean
  /** Passes this many more bytes to the store, then breaks every connection until `mend`. */
  cut(after?: number): void
  /** Swallows all data instead, so that callers wait. */
  stall(): void
  mend(): void
  keys(prefix?: string): Promise<string[]>
  object(key: string): Promise<{ bytes: Uint8Array; type: string; disposition: string | undefined }>
  put(key: string, text: string): Promise<void>
}

/** Returns the server of TEST_S3_URL (`http://key:secret@host:port`), or one inside this process. */
async function server(): Promise<{ endpoint: URL; checks: boolean }> {
  const named = process.env.TEST_S3_URL
  if (named) return { endpoint: new URL(named), checks: true }
  const { buildApp } = await import('fauxqs')
  const running = buildApp({ logger: false })
  whenDone(() => running.close())
  const endpoint = new URL(await running.listen({ port: 0, host: '127.0.0.1' }))
  endpoint.username = 'key'
  endpoint.password = 'secret'
  return { endpoint, checks: false }
}

type Line =
  | { state: 'open' }
  | { state: 'counting'; left: number }
  | { state: 'broken' }
  | { state: 'stalled' }

/** Creates a bucket for this test: public, as a site's is, or private. */
export async function testStorage({ readable = false } = {}): Promise<TestStorage> {
  const { endpoint, checks } = await server()
  const bucket = `test-${randomBytes(6).toString('hex')}`
  let line: Line = { state: 'open' }
  const sockets = new Set<Socket>()
  const breakAll = () => {
    line = { state: 'broken' }
    for (const socket of sockets) socket.destroy()
  }
  const between = createServer(near => {
    if (line.state === 'broken') {
      near.destroy()
      return
    }
    const far = dial(Number(endpoint.port), endpoint.hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', (piece: Buffer) => {
      if (line.state === 'stalled') return
      if (line.state === 'counting') {
        line.left -= piece.byteLength
        if (line.left < 0) {
          breakAll()
          return
        }
      }
      far.write(piece)
    })
    far.on('data', (piece: Buffer) => {
      if (line.state !== 'stalled') near.write(piece)
    })
  })
  await new Promise<void>(resolve => between.listen(0, '127.0.0.1', resolve))
  whenDone(() => {
    breakAll()
    between.close()
  })

  const credentials = {
    accessKeyId: decodeURIComponent(endpoint.username),
    secretAccessKey: decodeURIComponent(endpoint.password),
  }
  const direct = new S3Client({
    endpoint: endpoint.origin,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  await direct.send(new CreateBucketCommand({ Bucket: bucket }))
  const Statement = [
    { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` },
  ]
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement })
  if (readable && checks) await direct.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy }))

  return {
    checks,
    config: {
      bucket_media: bucket,
      bucket_endpoint: `http://127.0.0.1:${(between.address() as AddressInfo).port}`,
      bucket_access_key: credentials.accessKeyId,
      bucket_secret_key: credentials.secretAccessKey,
    },
    cut(after = 0) {
      if (after === 0) breakAll()
      else line = { state: 'counting', left: after }
    },
    stall() {
      line = { state: 'stalled' }
    },
    mend() {
      line = { state: 'open' }
      for (const socket of sockets) socket.destroy()
    },
    async keys(prefix = '') {
      const found: string[] = []
      for (let token: string | undefined, more = true; more; ) {
        const page = await direct.send(
          new ListObjectsV2Command({
            Bucket: bucket,
            Prefix: prefix,
            ...(token ? { ContinuationToken: token } : {}),
          }),
        )
        found.push(...(page.Contents ?? []).flatMap(({ Key }) => Key ?? []))
        token = page.NextContinuationToken
        more = page.IsTruncated === true
      }
      return found
    },
    async object(key) {
      const found = await direct.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
      return {
        bytes: (await found.Body?.transformToByteArray()) ?? new Uint8Array(),
        type: found.ContentType ?? '',
        disposition: found.ContentDisposition,
      }
    },
    async put(key, text) {
      await direct.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: text }))
    },
  }
}
