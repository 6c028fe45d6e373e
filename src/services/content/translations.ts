type Texts = Readonly<Record<string, string | null | undefined>>
type Given = Readonly<Record<string, Texts | null>>

/**
 * Merges translations of a record into the stored ones: null removes a locale or a member, and so does an empty text.
 * Locales and members are in the order of their names, so that equal translations are equal texts.
 */
export function mergedTranslations<Own extends Texts>(
  before: Readonly<Record<string, Own>>,
  given: Given | undefined,
): Record<string, Own> {
  if (!given) return before
  const codes = [...new Set([...Object.keys(before), ...Object.keys(given)])].sort()
  return Object.fromEntries(
    codes.flatMap(code => {
      const change = given[code]
      if (change === null) return []
      const own = Object.entries({ ...before[code], ...withoutUndefined(change) })
        .filter(([, text]) => text)
        .sort(([one], [other]) => (one < other ? -1 : 1))
      return own.length > 0 ? [[code, Object.fromEntries(own) as Own]] : []
    }),
  )
}

const withoutUndefined = (given: object | undefined): object =>
  Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined))
