import { randomBytes } from 'node:crypto'
import { closeSync, fchmodSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes a file whole or not at all, for its owner alone; one that another process has made meanwhile stays. */
export function makeOwnFile(path: string, content: string): void {
  const next = `${path}.${process.pid}.next`
  try {
    const file = openSync(next, 'wx', 0o600)
    try {
      // Whatever the process masks.
      fchmodSync(file, 0o600)
      writeSync(file, content)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    linkSync(next, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(next, { force: true })
  }
}

/** Makes the names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Replaces a file; after a crash there is the old one or the new one, whole.
 * @param before runs when the new one is on disk; when it fails, the old one stays
 */
export async function replaceFile(
  path: string,
  text: string,
  mode: number,
  before: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const next = `${path}.${randomBytes(6).toString('hex')}.next`
  try {
    const handle = await open(next, 'wx', mode)
    try {
      // Whatever the process masks.
      await handle.chmod(mode)
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await before()
    await rename(next, path)
  } catch (error) {
    await rm(next, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

/** For a read of a file that need not be there: undefined. @throws any other failure */
export const ifMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error
  return undefined
}
