import type { AnyTable, RecordOf } from '../db/columns.js'
import type { Database } from '../db/database.js'
import { matchingKeys, matchingTitles } from '../db/queries/matching.js'
import type { ContentSpace } from '../db/tables.js'

/** A text inside a pattern of `like`, for statements with `!` as the escape character. */
export const escapedForLike = (text: string): string => text.replaceAll(/[!%_]/g, found => `!${found}`)

const [maxMatches, maxLength] = [20, 100]
const [maxWords, maxFields] = [6, 100]

const isText = (text: string) => text !== '' && !text.includes('\0') && text.isWellFormed()

const isAscii = (text: string) => /^[ -~]*$/.test(text)

function patternsOf(part: string): { text: string; small: string; capital: string } {
  const text = `%${escapedForLike(part)}%`
  const small = text.toLowerCase()
  const capital = small.replaceAll(
    /(^|[^\p{L}])(\p{L})/gu,
    (_, before, letter) => before + letter.toUpperCase(),
  )
  return { text, small, capital }
}

/** Keys of some of the records that have a text. */
export interface Matches {
  readonly keys: readonly string[]
  readonly isMore: boolean
}

/**
 * Finds keys of the first 20 records that have a text in one of their columns, and says whether there are more.
 * @param columns the first one is what records are called
 */
export function matching<T extends AnyTable>(
  db: Database,
  table: T,
  columns: readonly (keyof RecordOf<T> & string)[],
): (text: string) => Promise<Matches> {
  const ofAscii = matchingKeys(table, columns, maxMatches + 1, true)
  const ofAny = matchingKeys(table, columns, maxMatches + 1, false)
  return async text => {
    const given = text.trim().normalize('NFC').slice(0, maxLength)
    if (!isText(given)) return { keys: [], isMore: false }
    const found = await db.boundedQuery(isAscii(given) ? ofAscii : ofAny, patternsOf(given))
    return { keys: found.slice(0, maxMatches), isMore: found.length > maxMatches }
  }
}

/**
 * Finds ids of entries by all words of a text in what they are called, in one statement: of trees with something that the
 * public does not see. The search finds the others.
 * @param fields the fields that entries are called by
 */
export const matchingEntries =
  (db: Database, space: ContentSpace) =>
  async (text: string, fields: readonly string[], limit: number): Promise<string[]> => {
    const words = text.trim().normalize('NFC').slice(0, maxLength).split(/\s+/).slice(0, maxWords)
    const asked = fields.slice(0, maxFields)
    if (asked.length === 0 || !words.every(isText)) return []
    const values = new Map(asked.map((id, i) => [`field${i}`, id]))
    for (const [i, word] of words.entries())
      for (const [kind, pattern] of Object.entries(patternsOf(word))) values.set(`${kind}${i}`, pattern)
    const query = matchingTitles(space, {
      fields: asked.length,
      words: words.length,
      limit,
      isAscii: words.every(isAscii),
    })
    // An entry is found by each of its languages.
    return [...new Set(await db.boundedQuery(query, Object.fromEntries(values) as never))]
  }
