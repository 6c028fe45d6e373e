import { randomUUID } from 'node:crypto'
import { constants, createReadStream, type Dirent } from 'node:fs'
import { access, lstat, opendir, readdir, realpath, rename, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { unavailable } from '../errors.js'
import {
  type Bucket,
  type FolderAddress,
  type ReadableObject,
  StorageError,
  type StoredObject,
  type TemporaryFile,
} from '../ports.js'
import { signedAddress } from '../signed-address.js'
import {
  bytesOf,
  codeOf,
  isMissing,
  makeFolder,
  undefinedIfMissing,
  versionOf,
  write,
} from './folder-files.js'
import { syncFolder } from './own-file.js'
import { temporaryFile } from './temporary-files.js'

const { W_OK, X_OK } = constants

/** Files that are still being written; no key begins with a dot. */
const incoming = '.incoming'
/** A put takes seconds, so a file that old is of a process that was killed. */
const leftoverMs = 3_600_000
/** How often a process looks for such files. */
const lookMs = 60_000
const listedAtOnce = 1000
/** The longest path of a key and the longest name of a file, in bytes, that every usual file system takes. */
const [maxKeyBytes, maxNameBytes] = [1024, 255]

/** Control characters, and what separates folders or names streams and disks on Windows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const refusedInNames = /[\u0000-\u001f\u007f\\:]/

const isName = (name: string): boolean =>
  name !== '' &&
  !name.startsWith('.') &&
  !refusedInNames.test(name) &&
  Buffer.byteLength(name) <= maxNameBytes

/** Whether a key names a file below its bucket, and none that the bucket has for itself. */
const isKey = (key: string): boolean => Buffer.byteLength(key) <= maxKeyBytes && key.split('/').every(isName)

const problems: Readonly<Record<string, string>> = {
  ENOSPC: 'the media folder has no room: nothing was stored',
  EDQUOT: 'the media folder has no room: nothing was stored',
  EACCES: 'the media folder cannot be written: nothing was stored',
  EPERM: 'the media folder cannot be written: nothing was stored',
  EROFS: 'the media folder cannot be written: nothing was stored',
  EEXIST: 'the media folder is a file: nothing was stored',
  ENOTDIR: 'the media folder is a file: nothing was stored',
}

/** A failed write in words for callers, who do not learn where the folder is. */
function problemOf(error: unknown): unknown {
  const problem = problems[codeOf(error)]
  return problem === undefined ? error : new StorageError(problem, { cause: error })
}

/**
 * A bucket in a folder of this machine: the object of a key is the file at that path. It appears whole, when it is on
 * disk. Keys and links lead nowhere else (docs/decisions/083-media.md).
 */
class FolderBucket implements Bucket {
  readonly #root: string
  #lookedAt = 0

  constructor(private readonly address: FolderAddress) {
    this.#root = join(address.folder, address.bucket)
  }

  async put(...[key, content]: Parameters<Bucket['put']>): Promise<void> {
    if (!isKey(key)) throw new Error(`${JSON.stringify(key)} is not a valid object key`)
    try {
      const part = join(await this.#incoming(), randomUUID())
      try {
        await write(part, content)
        await this.#place(part, key)
      } catch (error) {
        await rm(part, { force: true })
        throw error
      }
    } catch (error) {
      throw problemOf(error)
    }
  }

  async fetch(key: string): Promise<TemporaryFile | undefined> {
    const found = await this.#find(key)
    return found && temporaryFile(createReadStream(found.path))
  }

  async read(key: string): Promise<ReadableObject | undefined> {
    const found = await this.#find(key)
    if (!found) return undefined
    const { path, facts } = found
    const version = versionOf(facts)
    return {
      size: Number(facts.size),
      modified: Number(facts.mtimeMs),
      version,
      bytes: (from, length) => bytesOf(path, version, { from, length }),
    }
  }

  async remove(keys: readonly string[]): Promise<string[]> {
    const failed: string[] = []
    for (const key of keys)
      try {
        const folder = isKey(key) ? await this.#folderOf(key) : undefined
        if (folder === undefined) continue
        await unlink(join(folder, lastOf(key)))
        await this.#removeEmpty(folder)
      } catch (error) {
        if (!isMissing(error)) failed.push(key)
      }
    return failed
  }

  async *list(prefix: string): AsyncGenerator<StoredObject[]> {
    const start = prefix.slice(0, prefix.lastIndexOf('/') + 1)
    if (start !== '' && !isKey(start.slice(0, -1))) return
    const folders = [start]
    let page: StoredObject[] = []
    for (let at = folders.pop(); at !== undefined; at = folders.pop())
      for await (const { key, entry } of this.#entries(at)) {
        if (entry.isDirectory()) folders.push(`${key}/`)
        if (!entry.isFile() || !key.startsWith(prefix)) continue
        // It may have been removed meanwhile.
        const found = await this.#find(key)
        if (found) page.push({ key, size: Number(found.facts.size) })
        if (page.length < listedAtOnce) continue
        yield page
        page = []
      }
    if (page.length > 0) yield page
  }

  async signedUrl(key: string, how: { name: string; seconds: number; now: number }): Promise<string> {
    const { appSecret, bucket } = this.address
    if (!appSecret) throw unavailable('app_secret must be set, because it signs the addresses of downloads')
    const expires = Math.floor(how.now / 1000) + how.seconds
    return signedAddress(appSecret, { bucket, key, name: how.name, expires })
  }

  /** Whether objects can be put; it makes the folder, as the first one would. */
  async answers(): Promise<boolean> {
    try {
      await access(await this.#incoming(), W_OK | X_OK)
      return true
    } catch {
      return false
    }
  }

  /** The folder of files that are being written, without those of processes that were killed. */
  async #incoming(): Promise<string> {
    const folder = join(this.#root, incoming)
    const made = await makeFolder(folder)
    const now = Date.now()
    if (made !== undefined || now - this.#lookedAt < lookMs) return folder
    this.#lookedAt = now
    const before = now - leftoverMs
    for (const name of await readdir(folder)) {
      const path = join(folder, name)
      const found = await stat(path).catch(undefinedIfMissing)
      if (found && found.mtimeMs < before) await rm(path, { force: true })
    }
    return folder
  }

  /** Moves a written file to its key, and makes both durable. */
  async #place(part: string, key: string): Promise<void> {
    const root = await realpath(this.#root)
    const folder = join(root, ...foldersOf(key))
    // Somebody may remove the empty folder in between.
    let made: string | undefined
    for (let isLast = false; ; isLast = true)
      try {
        const found = await realpath(folder).catch(undefinedIfMissing)
        if (found === undefined) made = await makeFolder(folder)
        if ((found ?? (await realpath(folder))) !== folder)
          throw new Error(`a link leads away from the folder of ${key}`)
        await rename(part, join(folder, lastOf(key)))
        break
      } catch (error) {
        if (isLast || codeOf(error) !== 'ENOENT') throw error
      }
    const last = made === undefined ? folder : dirname(made)
    for (let one = folder; one.startsWith(last); one = dirname(one)) await syncFolder(one)
  }

  /** The folder of a key; undefined if it is missing, or a link leads to another place. */
  async #folderOf(key: string): Promise<string | undefined> {
    const root = await realpath(this.#root).catch(undefinedIfMissing)
    if (root === undefined) return undefined
    const folder = join(root, ...foldersOf(key))
    return (await realpath(folder).catch(undefinedIfMissing)) === folder ? folder : undefined
  }

  async #find(key: string) {
    const folder = isKey(key) ? await this.#folderOf(key) : undefined
    if (folder === undefined) return undefined
    const path = join(folder, lastOf(key))
    const facts = await lstat(path, { bigint: true }).catch(undefinedIfMissing)
    return facts?.isFile() ? { path, facts } : undefined
  }

  async *#entries(at: string): AsyncGenerator<{ key: string; entry: Dirent }> {
    const folder = join(this.#root, at)
    // Without objects yet, the bucket is empty; an unreadable folder is a failure.
    const entries = await opendir(folder).catch(undefinedIfMissing)
    if (!entries) return
    for await (const entry of entries) if (isName(entry.name)) yield { key: `${at}${entry.name}`, entry }
  }

  /** Removes folders that have become empty, except the bucket itself. */
  async #removeEmpty(folder: string): Promise<void> {
    const root = await realpath(this.#root)
    try {
      for (let one = folder; one.startsWith(root + sep); one = dirname(one)) await rmdir(one)
    } catch {
      // It has other files.
    }
  }
}

const foldersOf = (key: string): string[] => key.split('/').slice(0, -1)
const lastOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

export const folderBucket = (address: FolderAddress): Bucket => new FolderBucket(address)
