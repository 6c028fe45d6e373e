/**
 * Defines a word, in one place for all engines: texts and search terms are cut into words here, folded and written in
 * ASCII, so that no tokenizer of an engine decides anything (D-611).
 */

/** A word as it is compared, and where it stands in its text. */
export interface Word {
  readonly word: string
  readonly from: number
  readonly to: number
}

/** Letters, marks, digits and signs that may be made of them; and what is not seen inside of words. */
const together = /(?:[\p{L}\p{M}\p{N}\p{So}\u00ad]|\u200c|\u200d|\u2060)+/gu
const plain = /^[A-Za-z0-9]+$/
const asciiTogether = /[A-Za-z0-9]+/g
const pieces = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu
/** Scripts that are written without blanks: two of their characters make a word. */
const unspaced =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+|[^\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+/gu
const isUnspaced = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u
const characters = /[\p{L}\p{N}]\p{M}*/gu

/** Accents of Latin, Greek and Cyrillic, vowel signs of Arabic and Hebrew, marks of symbols, and what is not seen. */
const leftOut =
  /[\u0300-\u036f]|[\u0591-\u05c7]|[\u064b-\u065f]|\u0670|[\u20d0-\u20ff]|[\ufe00-\ufe0f]|\u00ad|\u200c|\u200d|\u2060/g
/** Letters that are others with something more, though Unicode takes none of them apart. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ς: 'σ',
  ı: 'i',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ł: 'l',
  ŧ: 't',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
}

/** A text as it is compared: compatible forms, case and accents make no difference. */
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(leftOut, '')
    .replace(/[ßςıøđðħłŧþæœ]/g, letter => letters[letter] ?? letter)
    .normalize('NFC')

function* pairs(run: string, start: number, isAsked: boolean): Generator<Word> {
  const all = folded(run).match(characters) ?? []
  const places = [...run.matchAll(characters)]
  const isAligned = places.length === all.length
  for (const [i, one] of all.entries()) {
    const next = all[i + 1] ?? ''
    // In a text the last one may be looked for alone; who asks for more asks for the pairs.
    if (next === '' && isAsked && all.length > 1) return
    const last = places[next === '' ? i : i + 1]
    const from = isAligned ? start + (places[i]?.index ?? 0) : start
    const to = isAligned && last ? start + last.index + last[0].length : start + run.length
    yield { word: one + next, from, to }
  }
}

/**
 * Yields the words of a text in their order.
 * @param isAsked for search terms, in which scripts without blanks count by their pairs alone
 */
export function* wordsOf(text: string, isAsked = false): Generator<Word> {
  const isAscii = /^[\0-\x7f]*$/.test(text)
  for (const { 0: run, index } of text.matchAll(isAscii ? asciiTogether : together)) {
    if (plain.test(run)) {
      yield { word: run.toLowerCase(), from: index, to: index + run.length }
      continue
    }
    for (const { 0: part, index: at } of run.matchAll(unspaced)) {
      const from = index + at
      if (isUnspaced.test(part)) yield* pairs(part, from, isAsked)
      else for (const [word] of folded(part).matchAll(pieces)) yield { word, from, to: from + part.length }
    }
  }
}

/** Most ASCII characters in a word: MariaDB and MySQL index at most 84, together with the prefix of the word. */
const maxWord = 60
const maxTag = 20

const digits = (number: number, length: number) => number.toString(36).padStart(length, '0')

/** Letters a to y and digits are themselves; `z` begins any other character, and its next letter says how many follow. */
function ascii(character: string): string {
  if (/^[0-9a-y]$/.test(character)) return character
  if (character === 'z') return 'z0'
  const code = character.codePointAt(0) ?? 0
  const [short, middle] = [code - 0x80, code - 0x80 - 1008]
  if (short >= 0 && short < 1008) return `z${digits(36 + short, 2)}`
  if (middle >= 0 && middle < 7776) return `z${digits(29 * 1296 + middle, 3)}`
  return `zz${digits(code, 4)}`
}

function written(word: string, most: number): string {
  if (word.length <= most && /^[0-9a-y]*$/.test(word)) return word
  let text = ''
  for (const character of word) {
    const next = ascii(character)
    if (text.length + next.length > most) break
    text += next
  }
  return text
}

/** The beginning of every word in a locale, which says how long the locale is: `k0`, or `k2de`. */
export function tagOf(locale: string): string {
  const text = written(locale.toLowerCase(), Number.POSITIVE_INFINITY)
  if (text.length <= maxTag) return `k${text.length.toString(36)}${text}`
  let sum = 0
  for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) % 36 ** 7
  return `k${maxTag.toString(36)}${text.slice(0, maxTag - 7)}${digits(sum, 7)}`
}

/** A word as it is indexed, behind the tag of its locale. Of a long one only the beginning counts. */
export const indexedWord = (word: string): string => written(word, maxWord)

/** Every entry has its datatype as a word. */
export const datatypeWord = (datatypeId: string): string => `y${datatypeId.toLowerCase()}`
