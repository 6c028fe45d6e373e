import type { Notes } from './notes.js'

/** So many are named of one record. */
const mostOfRecord = 20

/** The losses of records of an export, for the notes about all and for the row of each in the report. */
export class Losses {
  private readonly byKey = new Map<string, string[]>()
  private readonly gone = new Set<string>()

  constructor(private readonly notes: Notes) {}

  /** @param keys the records that have lost it @param where as in notes */
  add(keys: readonly string[], sentence: string, where: string): void {
    this.notes.add(sentence, where)
    for (const key of keys) {
      const own = this.byKey.get(key) ?? []
      if (own.length < mostOfRecord) own.push(`${sentence}: ${where}`)
      this.byKey.set(key, own)
    }
  }

  /** A record that is not here at all. */
  leaveOut(key: string, sentence: string): void {
    this.add([key], sentence, key)
    this.gone.add(key)
  }

  get leftOut(): number {
    return this.gone.size
  }

  of(key: string): readonly string[] {
    return this.byKey.get(key) ?? []
  }

  isGone(key: string): boolean {
    return this.gone.has(key)
  }
}
