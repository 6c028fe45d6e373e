/** A word to search for, or its beginning. Words here are letters a to z and digits; see search-words.ts. */
export interface Term {
  readonly word: string
  readonly isPrefix: boolean
}

/** All of these must be found, of each group at least one. */
export type Terms = readonly (readonly Term[])[]

interface Matching {
  /** The rows under the name `s`. */
  readonly from: string
  readonly counted: string
  readonly where: string
  readonly order: string
  /**
   * For an engine that would sort all rows with a frequent word: a statement for the newest rows, which ends where `most`
   * are found, and how often it takes the value. The column `place` has the key.
   */
  readonly newest?: (columns: readonly string[], most: number) => { sql: string; places: number }
}

/** How an engine looks for words: in a column that has each word of a text once, with blanks in between. */
export interface FullText {
  /** Statements that make the index of the column; they may run again. The key is a whole number. */
  index(table: string, key: string, column: string): string[]
  matching(table: string, key: string, column: string): Matching
  /** The value for `matching`. There is at least one group, and each has at least one term. */
  expression(terms: Terms): string
}

const unknown = (): never => {
  throw new Error('these statements know no full text')
}
export const noFullText: FullText = { index: unknown, matching: unknown, expression: unknown }
