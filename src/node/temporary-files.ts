import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { TemporaryFile } from '../ports.js'

/** Writes a stream to a file of its own that nobody else can read. Nothing is left when the stream fails. */
export async function temporaryFile(
  source: NodeJS.ReadableStream,
  { signal }: { signal?: AbortSignal } = {},
): Promise<TemporaryFile> {
  const folder = await mkdtemp(join(tmpdir(), 'slugline-file-'))
  const discard = () => rm(folder, { recursive: true, force: true })
  const path = join(folder, 'content')
  const hash = createHash('sha256')
  let size = 0
  const counting = new Transform({
    transform(piece: Buffer, _, done) {
      size += piece.byteLength
      hash.update(piece)
      done(null, piece)
    },
  })
  try {
    await pipeline(source, counting, createWriteStream(path, { mode: 0o600 }), signal ? { signal } : {})
    return { path, size, hash: hash.digest('hex'), discard }
  } catch (error) {
    await discard()
    throw error
  }
}
