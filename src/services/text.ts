import { z } from 'zod'
import { decoded, hasHidden, pathProblem, rooted, slugProblem } from '../request-paths.js'

export {
  addressProblem,
  hasHidden,
  isServicePath,
  isSlug,
  rooted,
  slugOfPath,
  trimmed,
  trimmedEnd,
} from '../request-paths.js'

/** One line of text, not blank, of at most `limit` characters, in the form NFC. */
export const label = (limit = 255) =>
  z
    .string()
    .normalize('NFC')
    // A longer text, which may be megabytes, is not checked any further.
    .max(limit, { abort: true })
    .refine(value => value.trim() !== '', 'must have more than whitespace')
    .refine(value => !hasHidden(value), 'must have no control or invisible characters')
    .meta({ examples: ['About us'] })

/** The path of a page, such as `/` or `/blog/first-post`, composed as NFC says; `blog/` means `/blog`. */
export const slug = z
  .string()
  .normalize('NFC')
  .overwrite(rooted)
  .superRefine((value, context) => {
    const problem = slugProblem(value)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })
  .meta({ examples: ['/about'] })

/** True for a path or a part of one, such as `first-post`. */
export const isSlugText = (value: string): boolean =>
  pathProblem(value.startsWith('/') ? value : `/${value}`) === undefined

/** Decodes a part of an address; one with broken percent-encoding stays as it is. */
export const uriDecoded = (text: string): string => decoded(text) ?? text

/** `Hero Image` becomes `heroImage`. Characters that are not ASCII are left out, except for their base letters. */
export function camelCase(text: string): string {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9]+/)
    .filter(word => word !== '')
  const joined = words
    .map((word, i) => (i === 0 ? word.charAt(0).toLowerCase() : word.charAt(0).toUpperCase()) + word.slice(1))
    .join('')
  return /^[A-Za-z]/.test(joined) ? joined : `x${joined}`
}

/** Whether every character is visible ASCII or a blank. */
export const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

const mark = /^\p{P}$/u

/** A text without the punctuation at its end. */
export function withoutEndMarks(text: string): string {
  const characters = [...text]
  while (mark.test(characters.at(-1) ?? '')) characters.pop()
  return characters.join('')
}
