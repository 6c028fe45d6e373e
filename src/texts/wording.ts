import { type RefusalTexts, refusalsIn } from './refusals.js'
import type { OtherValues, Text, Translated, Values } from './text.js'

/** The texts of the panel in one language. @typeParam All the texts of the catalogue */
export interface Wording<All extends string = Text> {
  /** The tag of the language, such as `de`. */
  readonly language: string
  /** Returns a text with its values. */
  t<T extends All>(text: T, ...values: Values<T, string | number>): string
  /** Returns a text as parts, for values that are elements. */
  parts<T extends All, V>(text: T, ...values: Values<T, V>): (string | V)[]
  /**
   * Returns the form of a text for a number: `count(2, '{n} page', '{n} pages')`. The second form names the text.
   * A number that is shown otherwise, such as with separators, is given as the value `n`.
   */
  count<T extends All>(n: number, one: string, other: T, ...values: OtherValues<T>): string
  /** Returns the sentence of a refusal, which is in English; without a translation as it is. */
  refusal(sentence: string): string
}

/** Returns only the texts of a view or a viewer. */
export const wordingOf = <All extends string>({
  language,
  t,
  parts,
  count,
  refusal,
}: Wording<All>): Wording<All> => ({ language, t, parts, count, refusal })

const placeholder = /\{(\w+)\}/

/** Returns a text with its values put in; without braces it is returned as it is. */
function filled<V>(text: string, values: Readonly<Record<string, V>> = {}): (string | V)[] {
  if (!text.includes('{')) return [text]
  // Splitting gives text, name, text, name, and so on.
  return text.split(placeholder).map((part, i) => (i % 2 === 0 ? part : (values[part] ?? '')))
}

/**
 * @param translations undefined for English, whose texts are their own names
 * @param refusals sentences of refusals
 */
export function wording<All extends string>(
  language: string,
  translations: Readonly<Record<string, Translated>> | undefined,
  refusals: RefusalTexts = {},
): Wording<All> {
  const rules = new Intl.PluralRules(language)
  const formsOf = (text: string): readonly string[] => [translations?.[text] ?? text].flat()
  const plain = (text: string): string => {
    const found = translations?.[text] ?? text
    return typeof found === 'string' ? found : (found.at(-1) ?? text)
  }
  return {
    language,
    refusal: refusalsIn(refusals),
    t: (text, ...[values]) => filled<string | number>(plain(text), values).join(''),
    parts: (text, ...[values]) => filled(plain(text), values),
    count(n, one, other, ...[values]) {
      const [first = one, second = first] = translations ? formsOf(other) : [one, other]
      return filled<string | number>(rules.select(n) === 'one' ? first : second, { n, ...values }).join('')
    },
  }
}
