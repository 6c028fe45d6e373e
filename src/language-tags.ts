/** A language tag, such as `de` or `de-AT`. */
export const languageTag = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/

/** The tag without its last part, and without what only introduces a part; `''` at the end. */
function shortened(tag: string): string {
  const parts = tag.split('-').slice(0, -1)
  while (parts.at(-1)?.length === 1) parts.pop()
  return parts.join('-')
}

/**
 * The code that fits a tag best, by the Lookup of RFC 4647: the tag itself, then ever less of it, whatever the case of
 * letters. A code that is written in the same case goes first.
 * @param codes the codes to choose from
 */
export function lookUpTag(tag: string, codes: { has(code: string): boolean; keys(): Iterable<string> }) {
  if (codes.has(tag)) return tag
  const known = [...codes.keys()]
  for (let range = tag; range !== ''; range = shortened(range)) {
    if (codes.has(range)) return range
    const folded = range.toLowerCase()
    const found = known.find(code => code.toLowerCase() === folded)
    if (found !== undefined) return found
  }
  return undefined
}

/** `lookUpTag` for the fallback of a locale: the tag itself does not count. */
export const lookUpShorter = (tag: string, codes: Parameters<typeof lookUpTag>[1]): string | undefined =>
  lookUpTag(shortened(tag), codes)
