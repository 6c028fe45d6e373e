import { accessSync, closeSync, constants, existsSync, fchmodSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ConfigError } from '../../errors.js'
import { installationProblem } from '../../node/installed.js'

/** Tells if a file can be made in a folder. */
export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function fileProblem(path: string, error: unknown): string {
  if (!existsSync(dirname(path))) return `there is no folder ${dirname(path)}`
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return 'is a folder'
  if (!existsSync(path) && !isWritable(dirname(path))) return `${dirname(path)} cannot be written`
  return error instanceof Error ? error.message : String(error)
}

/**
 * Opens the database file, or says in one line which file it is and what is wrong with it.
 * @param onlyExisting refuses to make the file
 * @throws ConfigError
 */
export function openFile<T>(file: string, onlyExisting: boolean, open: () => T): T {
  const path = resolve(file)
  if (onlyExisting && !existsSync(path))
    throw new ConfigError(`db_url: the database ${path} does not exist`, 'db_url')
  try {
    createPrivateFile(path)
    return open()
  } catch (error) {
    const problem = installationProblem(error)
    if (problem !== undefined) throw new ConfigError(problem)
    throw new ConfigError(`db_url: ${path}: ${fileProblem(path, error)}`, 'db_url')
  }
}

/**
 * Makes the database file, unless it is there, so that nobody but its owner reads it. SQLite gives its companions, as
 * `-wal` and `-shm`, the rights of the file.
 */
function createPrivateFile(file: string): void {
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
