import { z } from 'zod'
import { keyLength } from '../../db/content-tables.js'
import { anyIds } from './field-values.js'

/** Keys of a value that the public book compares. They follow from the text alone, so no field makes them stale. */
export interface IndexedValue {
  /** Its first characters: equal texts have equal keys, and keys are in the order of the texts. */
  readonly text_key: string
  /** The number, or the time in milliseconds since 1970; null for any other text. */
  readonly number_key: number | null
}

const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const timeText = z.regexes.datetime({ offset: true })

/** The first characters of a text, which never end in half of a pair. */
export function textKey(text: string): string {
  if (text.length <= keyLength) return text
  let at = 0
  for (let n = 0; n < keyLength && at < text.length; n++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return text.slice(0, at)
}

/** The number that a text is, or the milliseconds since 1970 of a date or time; null for anything else. */
export function numberKey(text: string): number | null {
  if (text.length === 0 || text.length > 40) return null
  const first = text.charCodeAt(0)
  // A minus or a digit.
  if (first !== 45 && (first < 48 || first > 57)) return null
  const number = numberText.test(text)
    ? Number(text)
    : z.regexes.date.test(text) || timeText.test(text)
      ? Date.parse(text)
      : Number.NaN
  if (!Number.isFinite(number)) return null
  // There is one zero.
  return number === 0 ? 0 : number
}

/** Rows of one value: itself at position 0, and each id of a list at a position of its own. */
export function* indexedValues(text: string): Generator<IndexedValue & { position: number; whole: boolean }> {
  yield { position: 0, whole: true, text_key: textKey(text), number_key: numberKey(text) }
  if (!text.startsWith('[')) return
  let position = 1
  for (const id of new Set(anyIds(text)))
    yield { position: position++, whole: false, text_key: id, number_key: null }
}
