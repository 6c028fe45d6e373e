import { LRUCache } from 'lru-cache'
import type { Versions } from '../versioned-answers.js'

/** An entry as a query shows it. */
export interface EntryText {
  readonly id: string
  readonly json: string
  /** As many of them as one answer may have keep to every limit of an answer. */
  readonly isSmall: boolean
}

/** A text with more characters than this is large, whatever it was made of. */
const smallCharacters = 100_000

const isKept = ({ isSmall, json }: EntryText): boolean => isSmall && json.length <= smallCharacters

/** What a text costs beside its characters, of which each may take two bytes. */
const overheadBytes = 300

/**
 * Entries as queries have written them, for other queries that find them. A text shows what others are called, so all of
 * them hold for one state of the content. Whoever answers with one sees to it that the versions are still the same
 * afterwards, as at a moment that is checked; they never come back.
 */
export class EntryTexts {
  private readonly kept: LRUCache<string, string>
  private versions: Versions = { schema: -1, content: -1 }

  /** @param maxBytes how much memory they may take; nothing is kept without any */
  constructor(private readonly maxBytes: number) {
    const most = Math.max(1, maxBytes)
    this.kept = new LRUCache({
      maxSize: most,
      maxEntrySize: most,
      sizeCalculation: (text, key) => 2 * (text.length + key.length) + overheadBytes,
    })
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
    const known = ids.map(id => this.get(versions, id + shape))
    const missing = ids.filter((_, i) => known[i] === undefined)
    if (missing.length === 0 && ids.length > 0) return known as string[]
    const made = await write(missing)
    if (missing.length < ids.length && !made.every(isKept)) return (await write(ids)).map(({ json }) => json)
    for (const text of made) if (isKept(text)) this.set(versions, text.id + shape, text.json)
    if (missing.length === ids.length) return made.map(({ json }) => json)
    const found = new Map(made.map(({ id, json }) => [id, json]))
    return ids.flatMap((id, i) => known[i] ?? found.get(id) ?? [])
  }

  private get({ schema, content }: Versions, key: string): string | undefined {
    const isCurrent = this.versions.schema === schema && this.versions.content === content
    return isCurrent ? this.kept.get(key) : undefined
  }

  private set(versions: Versions, key: string, text: string): void {
    const { schema, content } = this.versions
    if (this.maxBytes === 0 || versions.schema < schema || versions.content < content) return
    if (versions.schema > schema || versions.content > content) this.kept.clear()
    this.versions = versions
    this.kept.set(key, text)
  }
}
