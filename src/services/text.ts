import { z } from 'zod'

const bytes = (value: string) => new TextEncoder().encode(value).length

/** Text of one line or more, not blank, at most so many characters. */
export const label = (limit = 255) =>
  z
    .string()
    .max(limit)
    .refine(value => value.trim() !== '', 'must not be blank')

/** First segments of paths that belong to the service itself. */
const reservedSegments = new Set(['admin', 'api', 'compat', 'wp-json', '.well-known'])

/** Slugs are kept in an index of every engine, which limits them. */
const slugBytes = 512

function pathProblem(slug: string): string | undefined {
  if (!slug.startsWith('/')) return 'must begin with "/"'
  if (slug.length * 3 > slugBytes && bytes(slug) > slugBytes) return `must be at most ${slugBytes} bytes`
  if (slug === '/') return undefined
  const segments = slug.slice(1).split('/')
  if (segments.some(segment => segment === '' || segment === '.' || segment === '..'))
    return 'must have no empty segment and no "/" at its end'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
  if (/[\s\\?#%\u0000-\u001f\u007f]/u.test(slug))
    return 'must have no blank, "\\", "?", "#", "%" or control character'
  return undefined
}

const slugProblem = (slug: string): string | undefined =>
  pathProblem(slug) ??
  (reservedSegments.has(slug.split('/')[1]?.toLowerCase() ?? '')
    ? 'belongs to the service itself'
    : undefined)

/** The path of a page, such as `/` or `/blog/first-post` (2.2). */
export const slug = z.string().superRefine((value, context) => {
  const problem = slugProblem(value)
  if (problem) context.addIssue({ code: 'custom', message: problem })
})

const isSlug = (value: string): boolean => slugProblem(value) === undefined

/** True for a path or a part of one, such as `first-post`. */
export const isSlugText = (value: string): boolean =>
  pathProblem(value.startsWith('/') ? value : `/${value}`) === undefined

/** The slug that a request's path means: decoded, one `/` in front, none at the end. */
export function slugOfPath(path: string): string | undefined {
  let decoded: string
  try {
    decoded = decodeURIComponent(path)
  } catch {
    return undefined
  }
  const trimmed = decoded.replace(/^\/+|\/+$/g, '')
  const found = `/${trimmed}`
  return isSlug(found) ? found : undefined
}

/** `Hero Image` becomes `heroImage`: the key of a field or datatype where none is given. */
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
