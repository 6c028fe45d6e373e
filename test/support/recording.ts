import { closeSync, openSync, readSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

type Event = [seconds: number, type: 'o' | 'm', text: string]

/** The longest gap of a recording in seconds: viewers do not wait for a slow machine. */
const longestGap = 1.2

/**
 * A recording of a terminal as asciicast v2 (https://docs.asciinema.org/manual/asciicast/v2/). Its clock advances by
 * pauses, however long the machine takes.
 */
export class Recording {
  readonly events: Event[] = []
  #at = 0
  #read = 0
  readonly #decoder = new TextDecoder()

  /**
   * @param file the output of the terminal, which grows
   * @param pace the real seconds for a second of the recording
   */
  constructor(
    private readonly file: string,
    private readonly pace: number,
  ) {}

  mark(label: string): void {
    this.events.push([this.#at, 'm', label])
  }

  async pause(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left -= 0.05) {
      await sleep(50 * this.pace)
      this.#at += Math.min(left, 0.05)
      this.#take()
    }
  }

  /** Returns the file of the recording, with times in milliseconds. */
  text({ columns, rows, title }: { columns: number; rows: number; title: string }): string {
    const header = { version: 2, width: columns, height: rows, title }
    const lines = this.events.map(([at, ...event]) => [Math.round(at * 1000) / 1000, ...event])
    return `${[header, ...lines].map(line => JSON.stringify(line)).join('\n')}\n`
  }

  #take(): void {
    const bytes = Buffer.alloc(2 ** 20)
    const file = openSync(this.file, 'r')
    const length = readSync(file, bytes, 0, bytes.length, this.#read)
    closeSync(file)
    if (length === 0) return
    this.#read += length
    const before = this.events.at(-1)?.[0] ?? 0
    this.#at = Math.min(this.#at, before + longestGap)
    this.events.push([this.#at, 'o', this.#decoder.decode(bytes.subarray(0, length), { stream: true })])
  }
}
