import { constants } from 'node:fs'
import { copyFile, type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { TemporaryFile } from '../ports.js'

const { COPYFILE_EXCL, COPYFILE_FICLONE, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants

const pieceBytes = 2 ** 18
const [fileMode, folderMode] = [0o600, 0o700]

/** Returns the code of a failure of the file system; `''` for other errors. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Whether there is no such file, or a link in its place. */
export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error))

/** For a read of a file that need not be there: undefined. @throws any other failure */
export const undefinedIfMissing = (error: unknown): undefined => {
  if (!isMissing(error)) throw error
  return undefined
}

interface Version {
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
}

/** An object is only ever replaced by another file, so this tells its contents apart. */
export const versionOf = ({ ino, size, mtimeNs }: Version): string =>
  [ino, size, mtimeNs].map(part => part.toString(36)).join('-')

/** Returns some bytes of a file, which is opened on the first read and must still be of this version. */
export function bytesOf(path: string, version: string, { from, length }: { from: number; length: number }) {
  let file: FileHandle | undefined
  let [at, left] = [from, length]
  const close = async () => {
    await file?.close()
    file = undefined
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          file ??= await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
          if (at === from && versionOf(await file.stat({ bigint: true })) !== version)
            throw new Error('the file was replaced before it could be sent')
          const piece = new Uint8Array(Math.min(pieceBytes, left))
          const { bytesRead } = await file.read(piece, 0, piece.byteLength, at)
          if (bytesRead === 0 && left > 0) throw new Error('the file is shorter than before')
          at += bytesRead
          left -= bytesRead
          if (bytesRead > 0) controller.enqueue(piece.subarray(0, bytesRead))
          if (left > 0) return
          await close()
          controller.close()
        } catch (error) {
          await close()
          controller.error(error)
        }
      },
      cancel: close,
    },
    // A request for the headers alone opens no file.
    { highWaterMark: 0 },
  )
}

/**
 * Makes a folder with those above it. Node's own `recursive` never ends where a folder that is there lets none be made
 * in it and calls that ENOENT, as /proc does.
 * @returns the topmost one that it made
 */
export async function makeFolder(path: string): Promise<string | undefined> {
  const make = () =>
    mkdir(path, { mode: folderMode }).then(
      () => path,
      error => {
        if (codeOf(error) !== 'EEXIST') throw error
        return undefined
      },
    )
  try {
    return await make()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  const above = await makeFolder(dirname(path))
  const made = await make()
  return above ?? made
}

/** Writes a new file, for the account of the service alone, and waits until it is on disk. */
export async function write(path: string, content: Uint8Array | TemporaryFile): Promise<void> {
  if ('path' in content) await copyFile(content.path, path, COPYFILE_EXCL | COPYFILE_FICLONE)
  const file = await open(path, 'path' in content ? 'r+' : 'wx', fileMode)
  try {
    await file.chmod(fileMode)
    if (!('path' in content)) await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}
