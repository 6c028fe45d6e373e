/** Quotes that are open at the end of a line. */
export class UnclosedQuote extends Error {
  constructor() {
    super('a quote is not closed')
  }
}

/**
 * One line as the words that a shell would make of it by blanks, quotes and backslashes. Nothing else is special: no
 * variable, pattern or other command is looked for.
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
