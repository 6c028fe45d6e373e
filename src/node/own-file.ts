import { closeSync, fchmodSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs'

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
