import { closeSync, fchmodSync, openSync } from 'node:fs'

/**
 * Makes the database file, unless it is there, so that nobody but its owner reads it. SQLite gives its companions, as
 * `-wal` and `-shm`, the rights of the file.
 */
export function createPrivateFile(file: string): void {
  if (file === ':memory:') return
  let descriptor: number
  try {
    descriptor = openSync(file, 'wx', 0o600)
  } catch {
    // It exists, or SQLite says better why it cannot be made.
    return
  }
  try {
    // Whatever the process masks.
    fchmodSync(descriptor, 0o600)
  } finally {
    closeSync(descriptor)
  }
}
