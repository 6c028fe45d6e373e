import { type FileHandle, open, stat } from 'node:fs/promises'
import type { Archives } from '../ports.js'

const pieceBytes = 2 ** 18

function bytesOf(path: string): ReadableStream<Uint8Array> {
  let file: FileHandle | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        file ??= await open(path)
        const { bytesRead, buffer } = await file.read(new Uint8Array(pieceBytes), 0, pieceBytes)
        if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead))
        await file.close()
        controller.close()
      },
      cancel: () => file?.close(),
    },
    // A request for the headers alone opens no file.
    { highWaterMark: 0 },
  )
}

export const storedFile: Archives['stored'] = async path => {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() ? { size: found.size, bytes: bytesOf(path) } : undefined
}
