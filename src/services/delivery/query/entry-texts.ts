import type { Versions } from '../../../db/versions.js'
import { type Answers, bookTag, type Kept } from '../answers.js'

/** An entry as a query shows it. */
export interface EntryText {
  readonly id: string
  readonly json: string
  readonly isSmall: boolean
}

/** An entry in a form that is not text. */
export interface EntryValue<T> extends Omit<EntryText, 'json'> {
  /** Is shared by answers, and never changed. */
  readonly value: T
  readonly characters: number
}

const smallCharacters = 100_000

const isKept = ({ isSmall, characters }: EntryValue<unknown>): boolean =>
  isSmall && characters <= smallCharacters

const entryValue = ({ json, ...text }: EntryText): EntryValue<string> => ({
  ...text,
  value: json,
  characters: json.length,
})

/** Most bytes of one character, in texts and in values that stand for them. */
const [textBytes, valueBytes] = [2, 8]

interface KeptValue {
  readonly entry: EntryValue<unknown>
  readonly versions: Versions
}

/**
 * Entries as queries have written them, for other queries that find them. A text shows what others are called, so all of
 * them hold for one state of the content. Whoever answers with one sees to it that the versions are still the same
 * afterwards, as at a moment that is checked; they never come back.
 */
export class EntryTexts {
  private readonly kept: Kept<KeptValue>

  /** @param kind of these entries, in front of their keys */
  constructor(answers: Answers, kind: string) {
    this.kept = answers.of(`${kind} `)
  }

  /**
   * The entries with these ids, in this order, those that are not kept as `write` writes them. One that is large is
   * counted together with all others, so that an answer is refused whatever is kept.
   * @param shape what texts depend on beside the entry and the versions
   */
  async written(
    versions: Versions,
    shape: string,
    ids: readonly string[],
    write: (ids: readonly string[]) => Promise<readonly EntryText[]>,
  ): Promise<string[]> {
    return this.made(versions, shape, ids, async some => (await write(some)).map(entryValue))
  }

  async made<T>(
    versions: Versions,
    shape: string,
    ids: readonly string[],
    make: (ids: readonly string[]) => Promise<readonly EntryValue<T>[]>,
  ): Promise<T[]> {
    const known = ids.map(id => this.get(versions, id + shape) as EntryValue<T> | undefined)
    const missing = ids.filter((_, i) => known[i] === undefined)
    const made = missing.length > 0 || ids.length === 0 ? await make(missing) : []
    if (missing.length < ids.length && !made.every(isKept)) return (await make(ids)).map(({ value }) => value)
    for (const one of made) if (isKept(one)) this.set(versions, one.id + shape, one)
    if (missing.length === ids.length) return made.map(({ value }) => value)
    const found = new Map(made.map(one => [one.id, one]))
    return ids.flatMap((id, i) => {
      const one = known[i] ?? found.get(id)
      return one ? [one.value] : []
    })
  }

  private get({ schema, shown }: Versions, key: string): EntryValue<unknown> | undefined {
    const known = this.kept.get(key)
    return known?.versions.schema === schema && known.versions.shown === shown ? known.entry : undefined
  }

  private set(versions: Versions, key: string, entry: EntryValue<unknown>): void {
    const known = this.kept.get(key)?.versions
    // Who began before a change leaves nothing behind.
    if (known && (versions.schema < known.schema || versions.shown < known.shown)) return
    const bytes = entry.characters * (typeof entry.value === 'string' ? textBytes : valueBytes)
    this.kept.set(key, { entry, versions }, bytes, [bookTag('public')])
  }
}
