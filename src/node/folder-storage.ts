import { createReadStream, mkdirSync } from 'node:fs'
import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Config } from '../config.js'
import type { Bucket, Storage, StoredObject, TemporaryFile } from '../ports.js'
import { cacheControl } from './object-headers.js'
import { storage as stores } from './ports.js'
import { temporaryFile } from './temporary-files.js'

interface Kind {
  readonly mimetype: string
  readonly attachment: boolean
  /** Missing for objects that were stored before this member existed. */
  readonly replaceable?: boolean
}

/** Objects under `objects`, and beside them under `kinds` how each is served. */
class FolderBucket implements Bucket {
  constructor(
    private readonly folder: string,
    private readonly address: string,
  ) {}

  /** The file of a key; undefined for a key that would leave the folder. */
  pathOf(part: 'objects' | 'kinds', key: string): string | undefined {
    const root = resolve(this.folder, part)
    const path = resolve(root, key)
    return path.startsWith(root + sep) && !key.includes('\0') ? path : undefined
  }

  async put(
    ...[key, content, { mimetype, attachment, replaceable }]: Parameters<Bucket['put']>
  ): Promise<void> {
    const [path, kind] = [this.pathOf('objects', key), this.pathOf('kinds', key)]
    if (!path || !kind) throw new Error(`${key} is not a valid object key`)
    for (const file of [path, kind]) await mkdir(dirname(file), { recursive: true })
    await writeFile(kind, JSON.stringify({ mimetype, attachment, replaceable }), { mode: 0o600 })
    // Other processes see the whole object or nothing.
    const part = `${path}.part`
    if ('path' in content) await copyFile(content.path, part)
    else await writeFile(part, content, { mode: 0o600 })
    await rename(part, path)
  }

  async fetch(key: string): Promise<TemporaryFile | undefined> {
    const path = this.pathOf('objects', key)
    const found = path ? await stat(path).catch(() => undefined) : undefined
    return path && found?.isFile() ? temporaryFile(createReadStream(path)) : undefined
  }

  async remove(keys: readonly string[]): Promise<string[]> {
    const failed: string[] = []
    for (const key of keys)
      for (const part of ['objects', 'kinds'] as const) {
        const path = this.pathOf(part, key)
        if (path) await rm(path, { force: true }).catch(() => failed.push(key))
      }
    return failed
  }

  async *list(prefix: string): AsyncGenerator<StoredObject[]> {
    const root = join(this.folder, 'objects')
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      const key = relative(root, path).replaceAll(sep, '/')
      if (entry.isFile() && !key.endsWith('.part') && key.startsWith(prefix))
        yield [{ key, size: (await stat(path)).size }]
    }
  }

  async signedUrl(key: string, { name }: { name: string; seconds: number }): Promise<string> {
    const path = key.split('/').map(encodeURIComponent).join('/')
    return `${this.address}/media/${path}?download=${encodeURIComponent(name)}`
  }

  answers(): Promise<boolean> {
    return stat(this.folder).then(
      found => found.isDirectory(),
      () => false,
    )
  }
}

async function serve(
  bucket: FolderBucket,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const key = decodeURIComponent(url.pathname.replace(/^\/media\//, ''))
  const [path, kindPath] = [bucket.pathOf('objects', key), bucket.pathOf('kinds', key)]
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const file = isRead && path && kindPath ? await open(path).catch(() => undefined) : undefined
  if (!file || !kindPath) {
    response.writeHead(404).end()
    return
  }
  try {
    const { mimetype, attachment, replaceable }: Kind = JSON.parse(await readFile(kindPath, 'utf8'))
    const name = url.searchParams.get('download')
    const disposition =
      name === null ? 'attachment' : `attachment; filename*=UTF-8''${encodeURIComponent(name)}`
    response.writeHead(200, {
      'Content-Type': mimetype,
      'Content-Length': (await file.stat()).size,
      'Cache-Control': cacheControl(replaceable),
      'X-Content-Type-Options': 'nosniff',
      'Access-Control-Allow-Origin': '*',
      ...(attachment || name !== null ? { 'Content-Disposition': disposition } : {}),
    })
    if (request.method === 'HEAD') response.end()
    else await pipeline(file.createReadStream({ autoClose: false }), response)
  } finally {
    await file.close()
  }
}

interface FolderMedia {
  storage: Storage
  address: string
}
export interface FolderStorage extends FolderMedia {
  stop(): Promise<void>
}

const addressOf = (port: number) => `http://127.0.0.1:${port}`
/** Where a folder keeps the port that it was shown on, for addresses of pictures are written in texts. */
const portFile = (folder: string) => join(folder, 'port')

async function keptPort(folder: string): Promise<number | undefined> {
  const port = Number(await readFile(portFile(folder), 'utf8').catch(() => ''))
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}

const orStore = (address: string, bucket: FolderBucket): Storage => ({
  open: async wanted => (wanted.endpoint === address ? bucket : stores.open(wanted)),
})

/** The media of a folder that `folderStorage` has shown before, to store and read them; otherwise undefined. */
export async function storageOfFolder(folder: string): Promise<FolderMedia | undefined> {
  const port = await keptPort(folder)
  if (port === undefined) return undefined
  const bucket = new FolderBucket(folder, addressOf(port))
  return { address: addressOf(port), storage: orStore(addressOf(port), bucket) }
}

/** The settings of a configuration that uses the media in a folder. */
export const storageSettings = (address: string): Partial<Config> => ({
  bucket_media: 'media',
  bucket_endpoint: address,
  bucket_access_key: 'sample',
  bucket_secret_key: 'sample',
})

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/**
 * Media in a folder of this machine, with a listener on loopback that shows them to browsers, on the port of last time
 * if it is free. It needs no sign-in: good for trying out without an S3 store.
 */
export async function folderStorage(folder: string): Promise<FolderStorage> {
  mkdirSync(join(folder, 'objects'), { recursive: true, mode: 0o700 })
  const server: Server = createServer()
  const before = (await keptPort(folder)) ?? 0
  await listen(server, before).catch(error => (before === 0 ? Promise.reject(error) : listen(server, 0)))
  const { port } = server.address() as AddressInfo
  if (port !== before) await writeFile(portFile(folder), String(port), { mode: 0o600 })
  const address = addressOf(port)
  const bucket = new FolderBucket(folder, address)
  server.on('request', (request, response) => {
    serve(bucket, request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else response.writeHead(400).end()
    })
  })
  return {
    address,
    storage: orStore(address, bucket),
    async stop() {
      server.closeAllConnections()
      await new Promise<void>(done => server.close(() => done()))
    },
  }
}
