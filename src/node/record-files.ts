import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deserialize, serialize, setFlagsFromString } from 'node:v8'
import type { GrowingRecords, Lists } from '../ports.js'

/** Bytes that wait to be written together, and that are read ahead where a list is read from its beginning. */
const [waitingBytes, aheadBytes] = [2 ** 20, 2 ** 18]

/** Lists whose records are in one temporary file, until it is closed. */
export interface RecordFile extends Lists {
  close(): void
}

/** The places of the records of a list in the file. */
class Places {
  length = 0
  #starts = new Float64Array(1024)
  #sizes = new Uint32Array(1024)

  add(start: number, size: number): void {
    if (this.length === this.#starts.length) {
      const [starts, sizes] = [this.#starts, this.#sizes]
      this.#starts = new Float64Array(2 * this.length)
      this.#sizes = new Uint32Array(2 * this.length)
      this.#starts.set(starts)
      this.#sizes.set(sizes)
    }
    this.#starts[this.length] = start
    this.#sizes[this.length++] = size
  }

  /** Undefined where the list has no such record. */
  at(i: number): { readonly start: number; readonly size: number } | undefined {
    const [start, size] = [this.#starts[i], this.#sizes[i]]
    return i < this.length && start !== undefined && size !== undefined ? { start, size } : undefined
  }
}

/** Lets the heap of this process grow in small steps: on a large machine it would otherwise be several times what is used. */
export const growHeapSlowly = (): void => setFlagsFromString('--optimize-for-size')

/**
 * Opens a file for the records of an import. It has no name from the moment when it is open, so that it is gone when the
 * process ends, also when it is killed.
 * @throws an error of the file system, also when a record is added and the disk is full
 */
export function openRecords(): RecordFile {
  const path = join(tmpdir(), `slugline-import-records-${crypto.randomUUID()}`)
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  let waiting: Buffer[] = []
  let [written, end] = [0, 0]

  function flush(): void {
    if (end === written) return
    const all = Buffer.concat(waiting)
    waiting = []
    for (let done = 0; done < all.length; )
      done += writeSync(file, all, done, all.length - done, written + done)
    written = end
  }

  function add(record: unknown): { start: number; size: number } {
    const bytes = serialize(record)
    const start = end
    waiting.push(bytes)
    end += bytes.length
    if (end - written >= waitingBytes) flush()
    return { start, size: bytes.length }
  }

  function read(start: number, size: number): Buffer {
    flush()
    const bytes = Buffer.allocUnsafe(size)
    let done = 0
    while (done < size) {
      const count = readSync(file, bytes, done, size - done, start + done)
      if (count === 0) throw new Error('the temporary file of the import is shorter than it was')
      done += count
    }
    return bytes
  }

  return {
    make<T>(): GrowingRecords<T> {
      const places = new Places()
      return {
        get length() {
          return places.length
        },
        push(one) {
          const { start, size } = add(one)
          places.add(start, size)
        },
        at(i) {
          const place = places.at(i)
          return place && (deserialize(read(place.start, place.size)) as T)
        },
        *[Symbol.iterator]() {
          let [ahead, from]: [Buffer, number] = [Buffer.alloc(0), 0]
          for (let i = 0; i < places.length; i++) {
            const place = places.at(i)
            if (!place) continue
            const { start, size } = place
            if (start < from || start + size > from + ahead.length) {
              ahead = read(start, Math.max(size, Math.min(aheadBytes, end - start)))
              from = start
            }
            yield deserialize(ahead.subarray(start - from, start - from + size)) as T
          }
        },
      }
    },
    close() {
      waiting = []
      closeSync(file)
    },
  }
}
