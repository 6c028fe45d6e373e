import { fstatSync, write as writeFile } from 'node:fs'
import { Socket } from 'node:net'

/** Takes bytes and says when it has them, or how many of them it took, or why it did not. Never blocks or throws. */
export type Sink = (bytes: Buffer, done: (error: NodeJS.ErrnoException | null, taken: number) => void) => void

interface Settings {
  sink: Sink
  droppedLine: (count: number) => string
  /** How much may wait to be written, in bytes; further lines are dropped. */
  maxBytes?: number
  batchBytes?: number
  gatherMs?: number
  retryMs?: number
}

const isClosed = ({ code = '' }: NodeJS.ErrnoException) =>
  /^(EPIPE|EBADF|ECONNRESET|ERR_STREAM_DESTROYED|ERR_STREAM_WRITE_AFTER_END)$/.test(code)

/**
 * An output of lines that stops nobody. A reader that is slow, gone or without room costs lines, which are counted and
 * reported as soon as one can be written again, and neither time nor more memory than twice `maxBytes`.
 */
export class LineOutput {
  readonly #settings: Required<Settings>
  #waiting: string[] = []
  #waitingBytes = 0
  /** The bytes that are being written, or are written next; the sink may have a part of them already. */
  #batch: Buffer | undefined
  #batchLines = 0
  #writing = false
  #closed = false
  #failed = false
  #dropped = 0
  #timer: NodeJS.Timeout | undefined
  readonly #flushed: (() => void)[] = []

  constructor(settings: Settings) {
    this.#settings = { maxBytes: 2 ** 20, batchBytes: 65_536, gatherMs: 1000, retryMs: 1000, ...settings }
  }

  write(line: string): void {
    if (this.#closed) return
    const bytes = Buffer.byteLength(line)
    if (this.#waitingBytes + bytes > this.#settings.maxBytes) {
      this.#dropped++
      return
    }
    this.#waiting.push(line)
    this.#waitingBytes += bytes
    this.#next()
  }

  /** Resolves when everything is written, when writing has failed for good, or after this time in milliseconds. */
  flush(timeoutMs: number): Promise<void> {
    if (this.#closed || (!this.#batch && this.#waiting.length === 0)) return Promise.resolve()
    return new Promise(resolve => {
      const late = setTimeout(resolve, timeoutMs)
      this.#flushed.push(() => {
        clearTimeout(late)
        resolve()
      })
      this.#next(true)
    })
  }

  #next(due = false): void {
    if (this.#writing || this.#closed || this.#failed) return
    if (!this.#batch) {
      if (this.#waiting.length === 0) {
        this.#resolveFlushed()
        return
      }
      const { batchBytes, gatherMs } = this.#settings
      if (!due && this.#waitingBytes < batchBytes && this.#flushed.length === 0) {
        this.#later(gatherMs)
        return
      }
      this.#fillBatch()
    }
    if (!this.#batch) return
    this.#writing = true
    this.#settings.sink(this.#batch, (error, count) => this.#written(error, count))
  }

  #fillBatch(): void {
    const report = this.#dropped > 0 ? [this.#settings.droppedLine(this.#dropped)] : []
    this.#batch = Buffer.from([...report, ...this.#waiting].join(''))
    this.#batchLines = this.#waiting.length + this.#dropped
    this.#dropped = 0
    this.#waiting = []
    this.#waitingBytes = 0
  }

  #written(error: NodeJS.ErrnoException | null, count: number): void {
    this.#writing = false
    if (!error) {
      this.#batch = this.#batch && count < this.#batch.byteLength ? this.#batch.subarray(count) : undefined
      this.#next()
      return
    }
    if (isClosed(error)) {
      this.#close()
      return
    }
    if (error.code !== 'EAGAIN') {
      // Half a line may be written already: the next one continues behind it.
      this.#dropped += this.#batchLines
      this.#batch = undefined
    }
    this.#failed = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#later(this.#settings.retryMs)
  }

  #later(milliseconds: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#failed = false
      this.#next(true)
    }, milliseconds).unref()
  }

  #close(): void {
    this.#closed = true
    this.#waiting = []
    this.#waitingBytes = 0
    this.#batch = undefined
    clearTimeout(this.#timer)
    this.#resolveFlushed()
  }

  #resolveFlushed(): void {
    for (const resolve of this.#flushed.splice(0)) resolve()
  }
}

/** A pipe or socket is written without blocking; a file takes what it is given in another thread. */
function sinkOf(fd: number, stream: NodeJS.WriteStream): Sink {
  const kind = fstatSync(fd)
  if (!kind.isFIFO() && !kind.isSocket())
    return (bytes, done) => writeFile(fd, bytes, 0, bytes.byteLength, null, done)
  // The process's own stream, so that the descriptor has one owner.
  const socket: NodeJS.WritableStream =
    stream instanceof Socket ? stream : new Socket({ fd, readable: false, writable: true })
  socket.on('error', () => undefined)
  return (bytes, done) => {
    socket.write(bytes, error => done(error ?? null, bytes.byteLength))
  }
}

const droppedLine = (count: number) => {
  const msg = 'log lines were dropped, because the output did not accept them in time'
  return `${JSON.stringify({ level: 40, time: Date.now(), dropped: count, msg })}\n`
}

let opened: LineOutput | undefined

/** Standard output for log lines. */
export function standardOutput(): LineOutput {
  opened ??= new LineOutput({ sink: sinkOf(1, process.stdout), droppedLine })
  return opened
}

/** Writes what waits for standard output, as far as it is taken in this time. */
export const flushStandardOutput = async (timeoutMs: number): Promise<void> => opened?.flush(timeoutMs)

/** Without this a reader that has gone ends the process as soon as something is said to it. */
export function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
}
