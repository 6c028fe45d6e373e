/**
 * The words of the header `Surrogate-Key`, by which a cache drops responses, and of `surrogate_keys` in events. A page
 * has the ids of its route and its root entry as well, and a redirect its own id.
 */
export const surrogateKeys = {
  /** Every page. */
  pages: 'pages',
  /** Every list of `/query`. */
  lists: 'query',
  /** Responses that may show any content, such as searches and the sitemap. Each change for the public names it. */
  content: 'content',
  /** Every redirect. */
  redirects: 'redirects',
} as const

/** The key of lists that show entries of one datatype. A header takes ASCII without spaces. */
export const kindKey = (datatype: string): string => `kind:${encodeURIComponent(datatype)}`

/** A page has few keys, whatever it shows: events name the pages that show what has changed. */
export const pageKeys = (routeId: string, rootId: string): string =>
  `${routeId} ${rootId} ${surrogateKeys.pages}`

export const sortedKeys = (keys: readonly string[]): string[] => [...new Set(keys)].sort()
