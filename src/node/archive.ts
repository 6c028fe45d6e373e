import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGunzip, gzip } from 'node:zlib'
import {
  type ArchiveEntry,
  ArchiveError,
  type Archives,
  type ArchiveWriter,
  type ScratchFile,
  type TemporaryFile,
} from '../ports.js'
import { blockBytes, endBlocks, headerLength, headerOf, paddingOf, readHeader, type TarFile } from './tar.js'
import { temporaryPlace } from './temporary-files.js'

const compress = promisify(gzip)

/** So much is compressed at once, off the event loop. */
const pieceBytes = 1024 * 1024
/**
 * No piece of an archive grows by more than this factor when it is unpacked: one that would is stored uncompressed.
 * So this service did not make an archive that does, and refuses it before it fills the disk or memory.
 */
const maxRatio = 100
const stored = { level: 0 }
const usual = { level: 6 }

/**
 * The last bytes: an empty member of gzip, of which the extra field holds the SHA-256 of everything before it. Other
 * programs pass over it.
 */
const trailerHead = new Uint8Array([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 36, 0, 0x53, 0x4c, 32, 0])
const trailerEnd = new Uint8Array([3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
const trailerBytes = trailerHead.byteLength + 32 + trailerEnd.byteLength

const trailerOf = (hash: Uint8Array) => Buffer.concat([trailerHead, hash, trailerEnd])

const contentOf = (content: string | TemporaryFile): { size: number; pieces: AsyncIterable<Buffer> } =>
  typeof content === 'string'
    ? { size: Buffer.byteLength(content), pieces: Readable.from([Buffer.from(content)]) }
    : { size: content.size, pieces: createReadStream(content.path, { highWaterMark: pieceBytes }) }

/** Writes an archive beside its place, and puts it there when it is whole and on disk. */
class GzippedTar implements ArchiveWriter {
  private readonly hash = createHash('sha256')
  private waiting: Uint8Array[] = []
  private waitingBytes = 0
  private size = 0

  constructor(
    private readonly path: string,
    private readonly part: string,
    private readonly file: FileHandle,
    private readonly time: number,
  ) {}

  async add(name: string, content: string | TemporaryFile): Promise<string> {
    const { size, pieces } = contentOf(content)
    const hash = createHash('sha256')
    await this.push(headerOf({ name, size, time: this.time }))
    let read = 0
    for await (const piece of pieces) {
      read += piece.byteLength
      hash.update(piece)
      await this.push(piece)
    }
    if (read !== size) throw new Error(`${name} has changed while it was read`)
    await this.push(new Uint8Array(paddingOf(size)))
    return hash.digest('hex')
  }

  async close(check: (path: string) => Promise<void>): Promise<{ size: number; hash: string }> {
    await this.push(endBlocks)
    await this.flush()
    await this.write(trailerOf(this.hash.copy().digest()))
    await this.file.sync()
    await this.file.close()
    await check(this.part)
    await rename(this.part, this.path)
    return { size: this.size, hash: this.hash.digest('hex') }
  }

  async discard(): Promise<void> {
    await this.file.close().catch(() => undefined)
    await rm(this.part, { force: true })
  }

  private async push(bytes: Uint8Array): Promise<void> {
    if (bytes.byteLength === 0) return
    this.waiting.push(bytes)
    this.waitingBytes += bytes.byteLength
    if (this.waitingBytes >= pieceBytes) await this.flush()
  }

  private async flush(): Promise<void> {
    const all = Buffer.concat(this.waiting)
    ;[this.waiting, this.waitingBytes] = [[], 0]
    for (let from = 0; from < all.byteLength; from += pieceBytes) {
      const piece = all.subarray(from, from + pieceBytes)
      const packed = await compress(piece, usual)
      const isTooDense = packed.byteLength * maxRatio < piece.byteLength
      await this.write(isTooDense ? await compress(piece, stored) : packed)
    }
  }

  private async write(bytes: Uint8Array): Promise<void> {
    this.hash.update(bytes)
    this.size += bytes.byteLength
    for (let at = 0; at < bytes.byteLength; ) at += (await this.file.write(bytes, at)).bytesWritten
  }
}

interface Counted {
  bytes: number
  /** True when the last bytes of the file were read and are right. */
  isWhole: boolean
}

/** The bytes of a file but its last ones, which must hold the hash of the others. */
async function* packedBytes(path: string, counted: Counted): AsyncGenerator<Buffer> {
  const { size } = await stat(path)
  if (size <= trailerBytes) throw new ArchiveError('is not an archive of this service')
  const hash = createHash('sha256')
  const end = size - trailerBytes
  for await (const piece of createReadStream(path, { end: end - 1, highWaterMark: 64 * 1024 })) {
    hash.update(piece)
    counted.bytes += piece.byteLength
    yield piece
  }
  const trailer: Buffer[] = []
  for await (const piece of createReadStream(path, { start: end, end: size - 1 })) trailer.push(piece)
  if (!Buffer.concat(trailer).equals(trailerOf(hash.digest())))
    throw new ArchiveError('is damaged: its content differs from what was written')
  counted.isWhole = true
}

async function* unpackedBytes(path: string): AsyncGenerator<Buffer> {
  const counted: Counted = { bytes: 0, isWhole: false }
  let unpacked = 0
  const unzip = createGunzip({ chunkSize: 64 * 1024 })
  const source = Readable.from(packedBytes(path, counted), { objectMode: false })
  source.once('error', error => unzip.destroy(error))
  source.pipe(unzip)
  try {
    for await (const piece of unzip) {
      unpacked += piece.byteLength
      if (unpacked > counted.bytes * maxRatio + pieceBytes)
        throw new ArchiveError('becomes far too large when it is unpacked')
      yield piece
    }
    // Unpacking ends where something else begins, whatever the rest of the file is.
    if (!counted.isWhole) throw new ArchiveError('is damaged: it has data after its end')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (/^Z_/.test(code)) throw new ArchiveError('is damaged or is not an archive of this service')
    throw error
  } finally {
    unzip.destroy()
    source.destroy()
  }
}

class Bytes {
  private readonly source: AsyncGenerator<Buffer>
  private piece: Buffer = Buffer.alloc(0)

  constructor(path: string) {
    this.source = unpackedBytes(path)
  }

  /** Reads at most `length` bytes, and at least one unless the end is reached. */
  async some(length: number): Promise<Buffer> {
    while (this.piece.byteLength === 0) {
      const { done, value } = await this.source.next()
      if (done) return Buffer.alloc(0)
      this.piece = value
    }
    const taken = this.piece.subarray(0, length)
    this.piece = this.piece.subarray(taken.byteLength)
    return taken
  }

  /** Reads exactly `length` bytes. @throws ArchiveError if there are fewer */
  async exactly(length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let left = length; left > 0; ) {
      const part = await this.some(left)
      if (part.byteLength === 0) throw new ArchiveError('ends too early')
      parts.push(part)
      left -= part.byteLength
    }
    return Buffer.concat(parts)
  }

  async end(): Promise<void> {
    if ((await this.some(1)).byteLength > 0) throw new ArchiveError('has data after its end')
    await this.source.return(undefined)
  }

  async close(): Promise<void> {
    await this.source.return(undefined)
  }
}

const isZero = (bytes: Uint8Array) => bytes.every(byte => byte === 0)

async function nextFile(bytes: Bytes): Promise<TarFile | undefined> {
  const first = await bytes.exactly(blockBytes)
  if (isZero(first)) {
    if (!isZero(await bytes.exactly(blockBytes)))
      throw new ArchiveError('contains an item that is not a file')
    return undefined
  }
  const length = headerLength(first)
  const rest = length === undefined ? undefined : await bytes.exactly(length - blockBytes)
  const file = rest && readHeader(Buffer.concat([first, rest]))
  if (!file) throw new ArchiveError('contains an item that is not a regular file')
  return file
}

async function* contentFrom(bytes: Bytes, size: number, hash: Hash): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0; ) {
    const piece = await bytes.some(left)
    if (piece.byteLength === 0) throw new ArchiveError('ends too early')
    left -= piece.byteLength
    hash.update(piece)
    yield piece
  }
}

async function* filesOf(path: string): AsyncGenerator<ArchiveEntry> {
  const bytes = new Bytes(path)
  try {
    for (let file = await nextFile(bytes); file; file = await nextFile(bytes)) {
      const { name, size } = file
      const hash = createHash('sha256')
      const content = contentFrom(bytes, size, hash)
      let digest: string | undefined
      yield {
        name,
        size,
        content,
        hash() {
          digest ??= hash.digest('hex')
          return digest
        },
      }
      // Skips the content that the caller has not read.
      for await (const _ of content);
      if (!isZero(await bytes.exactly(paddingOf(size))))
        throw new ArchiveError('has unexpected data between its files')
    }
    await bytes.end()
  } finally {
    await bytes.close()
  }
}

const leftover = /^slugline-.*\.tar\.gz\.(part|dump|media|sums)$/

async function scratchAt(path: string, done: () => Promise<void>): Promise<ScratchFile> {
  const file = await open(path, 'wx', 0o600)
  const hash = createHash('sha256')
  let size = 0
  const discard = async () => {
    await file.close().catch(() => undefined)
    await done()
  }
  return {
    async write(some) {
      const bytes = Buffer.from(some)
      hash.update(bytes)
      size += bytes.byteLength
      for (let at = 0; at < bytes.byteLength; ) at += (await file.write(bytes, at)).bytesWritten
    },
    async close() {
      await file.close()
      return { path, size, hash: hash.digest('hex'), discard }
    },
    discard,
  }
}

/** Gzipped tar files. */
export const archives: Omit<Archives, 'absolute' | 'remove' | 'stored'> = {
  async scratch(path) {
    if (path === undefined) {
      const { path, discard } = await temporaryPlace()
      return scratchAt(path, discard)
    }
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await rm(path, { force: true })
    return scratchAt(path, () => rm(path, { force: true }))
  },
  async removeLeftovers(folder) {
    for (const name of await readdir(folder).catch(() => []))
      if (leftover.test(name)) await rm(join(folder, name), { force: true })
  },
  async *lines({ path }) {
    yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })
  },

  async create(path, time) {
    const part = `${path}.part`
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await rm(part, { force: true })
    return new GzippedTar(path, part, await open(part, 'wx', 0o600), Math.floor(time / 1000))
  },
  read: filesOf,
}
