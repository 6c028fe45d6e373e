import { parseAccept } from 'hono/utils/accept'

/** No program asks with a longer header. */
const longest = 1000

/**
 * Returns true if a header `Accept` names `text/markdown` and prefers no JSON to it. A range such as `text/*` names
 * nothing: who sends it gets what everybody gets.
 */
export function prefersMarkdown(accept: string | null): boolean {
  if (accept === null || accept.length > longest || !/text\/markdown/i.test(accept)) return false
  const accepted = parseAccept(accept).map(({ type, q }) => ({ type: type.toLowerCase(), q }))
  const qualityOf = (...types: string[]) =>
    types.map(type => accepted.find(one => one.type === type)?.q).find(q => q !== undefined) ?? 0
  const markdown = qualityOf('text/markdown')
  const json = qualityOf('application/json', 'application/*', '*/*')
  const namesJson = accepted.some(({ type, q }) => type === 'application/json' && q > 0)
  return markdown > 0 && (namesJson ? markdown > json : markdown >= json)
}

/** Returns true if a header such as `"a", "b"` or `*` names the tag. */
export const matches = (header: string | undefined, etag: string): boolean => {
  if (header === undefined) return false
  return header.split(',').some(part => ['*', etag].includes(part.trim().replace(/^W\//, '')))
}
