import type { Notes } from './notes.js'

const sentence = 'Records that cannot be read are left out'

/** A record of an export that cannot be read. */
export interface UnreadRecord {
  /** Where it is in the export, such as `data.ndjson: line 3`. */
  readonly place: string
  readonly reason: string
}

/** So many are named one by one, so that a broken file does not fill the memory. */
const mostNamed = 10_000

export interface Unread {
  readonly count: number
  /** The first of them. */
  readonly named: readonly UnreadRecord[]
}

/** Gathers the records that cannot be read. They are left out, and the others are taken. */
export class UnreadRecords {
  private readonly named: UnreadRecord[] = []
  private count = 0

  constructor(private readonly notes: Notes) {}

  add(place: string, reason: string): void {
    this.count++
    if (this.named.length < mostNamed) this.named.push({ place, reason })
    this.notes.add(sentence, `${place}: ${reason}`)
  }

  /** Adds what others have found, in their order. */
  addAll({ named, count }: UnreadRecords): void {
    for (const { place, reason } of named) this.add(place, reason)
    const others = count - named.length
    this.count += others
    if (others > 0) this.notes.add(sentence, undefined, others)
  }

  /** Undefined if all could be read. */
  get found(): Unread | undefined {
    return this.count === 0 ? undefined : { count: this.count, named: this.named }
  }
}
