import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openPromise, type Entry as ZipEntry, type ZipFile } from 'yauzl'

/** Links are files in a zip archive whose mode says so. */
const isLink = ({ externalFileAttributes }: ZipEntry): boolean =>
  ((externalFileAttributes >>> 16) & 0o170000) === 0o120000

/**
 * Unpacks the files of a zip archive; links are passed over. The library refuses names that lead out of the folder, and
 * files that become larger than the archive says.
 * @param count gets the size of each file before the first one is written, and throws to refuse the archive
 */
export async function unzip(path: string, folder: string, count: (size: number) => void): Promise<void> {
  const files = await filesIn(await openPromise(path, { autoClose: false }), count)
  try {
    for (const entry of files.entries) {
      const place = join(folder, entry.fileName)
      await mkdir(dirname(place), { recursive: true })
      const content = await files.zip.openReadStreamPromise(entry)
      await pipeline(content, createWriteStream(place, { flags: 'wx', mode: 0o600 }))
    }
  } finally {
    files.zip.close()
  }
}

async function filesIn(zip: ZipFile, count: (size: number) => void) {
  const entries: ZipEntry[] = []
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.isEncrypted()) throw new Error('it is encrypted')
      count(entry.uncompressedSize)
      if (!entry.fileName.endsWith('/') && !isLink(entry)) entries.push(entry)
    }
  } catch (error) {
    zip.close()
    throw error
  }
  return { zip, entries }
}
