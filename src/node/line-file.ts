import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { finished } from 'node:stream/promises'

/** A text file that is written line by line. */
export interface LineFile {
  /** Resolves when there is room for more. */
  write(line: string): Promise<void>
  close(): Promise<void>
}

/** Opens a new file, or an empty one in place of one of this name. @throws if it cannot be written */
export async function openLines(path: string): Promise<LineFile> {
  const handle = await open(path, 'w', 0o600)
  const stream = createWriteStream(path, { fd: handle })
  const done = finished(stream)
  done.catch(() => undefined)
  return {
    async write(line) {
      if (stream.write(`${line}\n`)) return
      await Promise.race([new Promise<void>(resolve => stream.once('drain', resolve)), done])
    },
    async close() {
      stream.end()
      await done
    },
  }
}
