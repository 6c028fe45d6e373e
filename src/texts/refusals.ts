/**
 * Sentences of refusals in another language, by their English words. Each `…` of these stands for a value, which is `{1}`,
 * `{2}` and so on in the translation.
 */
export type RefusalTexts = Readonly<Record<string, string>>

const gap = '…'
/** Longer sentences stay as they are: what is in them is not ours. */
const maxLength = 2000

/** Returns the values of a sentence; undefined if its words are others. @param parts the words between the values */
export function valuesIn(sentence: string, parts: readonly string[]): string[] | undefined {
  const [first = '', ...others] = parts
  const last = others.pop()
  if (last === undefined) return sentence === first ? [] : undefined
  const end = sentence.length - last.length
  if (!sentence.startsWith(first) || !sentence.endsWith(last) || end < first.length) return undefined
  const values: string[] = []
  let at = first.length
  for (const part of others) {
    const next = sentence.indexOf(part, at)
    if (next < 0 || next + part.length > end) return undefined
    values.push(sentence.slice(at, next))
    at = next + part.length
  }
  return [...values, sentence.slice(at, end)]
}

/**
 * Returns what says the sentences of refusals in a language. A sentence without a translation stays as it is; the name of a
 * member before a sentence stays too, as in `price: muss eine Zahl sein`.
 */
export function refusalsIn(texts: RefusalTexts): (sentence: string) => string {
  // Where several fit, the one with the most words of its own says the most.
  const withValues = Object.entries(texts)
    .filter(([english]) => english.includes(gap))
    .map(([english, translated]) => ({ parts: english.split(gap), translated }))
    .sort((a, b) => b.parts.join('').length - a.parts.join('').length)
  const known = (sentence: string): string | undefined => {
    if (Object.hasOwn(texts, sentence)) return texts[sentence]
    for (const { parts, translated } of withValues) {
      const values = valuesIn(sentence, parts)
      if (values) return translated.replaceAll(/\{(\d)\}/g, (_, n) => values[Number(n) - 1] ?? '')
    }
    return undefined
  }
  return sentence => {
    if (sentence.length > maxLength) return sentence
    const [member = ''] = /^[^\s:]{1,200}: /.exec(sentence) ?? []
    const rest = member && known(sentence.slice(member.length))
    return known(sentence) ?? (rest ? member + rest : sentence)
  }
}
