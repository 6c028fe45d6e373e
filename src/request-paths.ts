const bytes = (value: string) => new TextEncoder().encode(value).length

/** Returns why some engine cannot store or compare a text; undefined if all can. */
export function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'contains a NUL character'
  return text.isWellFormed() ? undefined : 'contains a lone surrogate'
}

/**
 * Invisible characters, which make two texts look the same or one look like another: control characters, marks of
 * direction, tags, joiners and other code points without a picture.
 */
const hidden = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u

/** Joiners and selectors where they change what is seen: in emoji, and in the scripts that are written with them. */
const shaping =
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{sc=Arab}\p{sc=Syrc}\p{sc=Mong}\p{sc=Nkoo}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}\p{sc=Mymr}]|\ufe0f)[\u200c\u200d](?=[\p{L}\p{M}\p{Extended_Pictographic}])|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}])[\ufe0e\ufe0f]|\ufe0f(?=\u20e3)/gu

export const hasHidden = (text: string): boolean =>
  hidden.test(text) && hidden.test(text.replaceAll(shaping, ''))

/** Paths that belong to the service itself by the whole of their first segment, however many slashes are in front. */
const reservedPath = /\/+(?:admin|api|compat|wp-json|\.well-known)(?=[/?]|$)/iy
/** Files at the top of a site that the service makes. Even if the configuration turns them off, they are not slugs. */
const siteFiles: ReadonlySet<string> = new Set(['/robots.txt', '/sitemap.xml', '/llms.txt'])
const encodedFirstSegment = /\/+[^/?]*%/y

/** Slugs are kept in an index of every engine, which limits them. */
export const maxSlugBytes = 512

export function pathProblem(slug: string): string | undefined {
  if (!slug.startsWith('/')) return 'must be a path such as /about'
  if (slug.length * 3 > maxSlugBytes && bytes(slug) > maxSlugBytes)
    return `must be at most ${maxSlugBytes} bytes`
  if (slug === '/') return undefined
  const segments = slug.slice(1).split('/')
  if (segments.some(segment => segment === '' || segment === '.' || segment === '..'))
    return 'must not contain an empty segment, "." or ".."'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
  if (/[\s\\?#%\u0000-\u001f\u007f]/u.test(slug))
    return 'must not contain whitespace, "\\", "?", "#", "%" or control characters'
  if (hasHidden(slug)) return 'must not contain invisible characters'
  return slug === slug.normalize('NFC') ? undefined : 'must be in the Unicode form NFC'
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

export const slugProblem = (slug: string): string | undefined =>
  pathProblem(slug) ??
  (matchesAt(reservedPath, slug, 0) || siteFiles.has(slug) ? 'belongs to the service itself' : undefined)

/** With one `/` in front and none at the end, as requested paths are read too. */
export const rooted = (path: string): string => (path === '' ? '' : `/${trimmed(path, '/')}`)

export const isSlug = (value: string): boolean => slugProblem(value) === undefined

/** A request's path as it is meant; undefined when its percent-encoding is broken. */
export function decoded(path: string): string | undefined {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

export const maxAddressCharacters = 8192

/** Returns why path and query, as they were sent, cannot mean text that can be stored and compared. */
export function addressProblem(address: string): string | undefined {
  if (address.length > maxAddressCharacters) return `is longer than ${maxAddressCharacters} characters`
  const text = decoded(address)
  return text === undefined ? 'is not percent-encoded UTF-8' : textProblem(text)
}

/**
 * Whether the path of a URL belongs to the service itself and so can be no page's: the rule that slugs obey, for paths
 * as they were sent. It runs on each request.
 * @param at where the path begins, at its slash
 */
export function isServicePath(url: string, at: number): boolean {
  if (matchesAt(reservedPath, url, at)) return true
  if (!matchesAt(encodedFirstSegment, url, at)) return false
  const end = url.indexOf('?', at)
  const path = decoded(url.slice(at, end < 0 ? undefined : end))
  return path !== undefined && matchesAt(reservedPath, path, 0)
}

/** Longer than every slug of `maxSlugBytes` with each byte percent-encoded, behind any prefix. */
const maxPathLength = 2048

/**
 * The slug that a request's path means: decoded, one `/` in front, none at the end.
 * @param prefix in front of the slug, without a slash at its end
 * @returns undefined if the path cannot be a slug
 */
export function slugOfPath(path: string, prefix: string): string | undefined {
  if (path.length > maxPathLength) return undefined
  const whole = decoded(path)
  if (!whole?.startsWith(prefix)) return undefined
  const found = rooted(whole.slice(prefix.length) || '/').normalize('NFC')
  return isSlug(found) ? found : undefined
}

/** Removes these characters from the end. An expression such as `/x+$/` tries again at each `x`. */
export function trimmedEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** Removes these characters from both ends. */
export function trimmed(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text.charAt(start))) start++
  return trimmedEnd(text.slice(start), characters)
}

/**
 * The target of a redirect as a header has it, with the query of the request, which chooses format and locale there too.
 * @param url the URL of the request @param prefix in front of slugs
 */
export function locationOf({ target, prefix }: { target: string; prefix: string }, url: string): string {
  const at = url.indexOf('?')
  const query = at < 0 ? '' : url.slice(at)
  if (target.startsWith('/')) return prefix + encodeURI(target) + query
  const address = new URL(target)
  if (query.length > 1) address.search = address.search === '' ? query : `${address.search}&${query.slice(1)}`
  return address.href
}
