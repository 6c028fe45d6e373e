import { t } from '../texts/terminal.js'
/** A line ends inside quotes. */
export class UnclosedQuote extends Error {
  constructor() {
    super(t('a quote is not closed'))
  }
}

/**
 * Splits a line into words by blanks, quotes and backslashes, as a shell would. Nothing else is special: variables,
 * patterns and further commands are plain text.
 * @throws UnclosedQuote
 */
export function wordsOf(line: string): string[] {
  const words: string[] = []
  const piece = /\s+|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)|([\s\S])/gy
  let word: string | undefined
  for (const [, single, double, escaped, plain, rest] of line.matchAll(piece)) {
    if (rest !== undefined) throw new UnclosedQuote()
    const text = single ?? double?.replaceAll(/\\(["\\])/g, '$1') ?? escaped ?? plain
    if (text !== undefined) word = (word ?? '') + text
    else {
      if (word !== undefined) words.push(word)
      word = undefined
    }
  }
  return word === undefined ? words : [...words, word]
}
