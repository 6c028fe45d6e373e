import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { TemporaryFile } from '../ports.js'

/** Names of folders hold host and process, so that leftovers of processes that ended can be recognised. */
const prefix = `slugline-file-${hostname().replace(/[^\w.-]/g, '_')}-`
const open = new Set<string>()

/** A place for a file in a folder that only the owner can read. */
export async function temporaryPlace(): Promise<{ path: string; discard(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  open.add(folder)
  return {
    path: join(folder, 'content'),
    async discard() {
      await rm(folder, { recursive: true, force: true })
      open.delete(folder)
    },
  }
}

/** Writes a stream to a file of its own that only the owner can read. A failed stream leaves no file. */
export async function temporaryFile(
  source: NodeJS.ReadableStream,
  { signal }: { signal?: AbortSignal } = {},
): Promise<TemporaryFile> {
  const { path, discard } = await temporaryPlace()
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

function isAlive(pid: number): boolean {
  try {
    // Signal 0 only checks if the process exists.
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Removes leftovers of killed processes of this host; a later process may have the number of a killed one. */
export async function removeLeftoverFiles(): Promise<void> {
  for (const entry of await readdir(tmpdir(), { withFileTypes: true })) {
    if (!entry.isDirectory() || !entry.name.startsWith(prefix)) continue
    const pid = Number(/^(\d+)-\w+$/.exec(entry.name.slice(prefix.length))?.[1])
    const folder = join(tmpdir(), entry.name)
    const isUsed = pid === process.pid ? open.has(folder) : isAlive(pid)
    // Folders of other users cannot be removed, and stay.
    if (pid > 0 && !isUsed) await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}
