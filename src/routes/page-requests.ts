import { LRUCache } from 'lru-cache'
import type { Config } from '../config.js'
import { invalid, notFound } from '../errors.js'
import { refuseBadAddress } from '../middleware/request-address.js'
import { localeCode } from '../services/content/locales.js'
import type { Audience } from '../services/delivery/audience.js'
import { expandOf, type Paths } from '../services/delivery/expand.js'
import { everyLocale } from '../services/delivery/format-context.js'
import { type FormatName, formatNames, isFormatName } from '../services/delivery/formats/index.js'
import { type PageRequest, pageRequest } from '../services/delivery/page-request.js'
import { slugOfPath } from '../services/text.js'

/** Callers can vary addresses, which must not fill memory: limits of cached addresses, and of all their characters. */
const maxAddresses = 5000
const maxCharacters = 1_000_000
/** No front end asks for a page by a longer address. */
const maxAddressLength = 1000

export interface PageRequests {
  /** @throws 400 for an unknown format or broken percent-encoding, 404 for what cannot be a slug */
  of(address: string): PageRequest
  known(address: string): PageRequest | undefined
}

/**
 * Reads requests for pages from addresses: a slug behind the prefix, `format`, `locale`, `expand`, and `status` where
 * drafts can be seen.
 * @param prefix of the path, without a slash at its end
 */
export function pageRequests(prefix: string, audience: Audience, config: () => Config): PageRequests {
  const meanings = new LRUCache<string, PageRequest>({
    max: maxAddresses,
    maxSize: maxCharacters,
    maxEntrySize: maxAddressLength,
    sizeCalculation: (_request, address) => address.length,
  })
  return {
    known: address => meanings.get(address),
    of(address) {
      const known = meanings.get(address)
      if (known) return known
      refuseBadAddress(address)
      const [path, query] = splitAddress(address)
      const given = query.get('format')
      const format = formatOf(given ?? config().output_format)
      const slug = slugOfPath(path, prefix)
      if (slug === undefined) throw notFound()
      const locale = localeOf(query.get('locale') ?? '', format)
      const expand = expandIn(query.get('expand') ?? '', format)
      const published = query.get('status') === 'published'
      const request = pageRequest({
        slug,
        format,
        audience: published ? 'public' : audience,
        locale,
        expand,
        isOpen: isOpen(given, format, locale, expand),
      })
      // Without the parameter the configuration decides, and that may change.
      if (given !== null) meanings.set(address, request)
      return request
    },
  }
}

export function splitAddress(address: string): [path: string, query: URLSearchParams] {
  const at = address.indexOf('?')
  return at < 0
    ? [address, new URLSearchParams()]
    : [address.slice(0, at), new URLSearchParams(address.slice(at))]
}

function formatOf(name: string): FormatName {
  if (!isFormatName(name)) throw invalid('format', `must be one of ${formatNames.join(', ')}`)
  return name
}

/** Checks the requested locale, `''` for the default one. @throws 400 if it is not a language tag */
export function localeOf(locale: string, format: FormatName): string {
  // Contentful's own way to ask for all of them.
  const isAll = locale === everyLocale && format === 'contentful'
  if (locale !== '' && !isAll && !localeCode.safeParse(locale).success)
    throw invalid('locale', 'must be a language tag such as de or de-AT')
  return locale
}

/** The relations that are shown with fields. @throws 400 for a format that does not */
export function expandIn(text: string, format: FormatName): Paths {
  if (text !== '' && format !== 'native') throw invalid('expand', 'needs format=native')
  return expandOf(text)
}

/** True if only the configuration names the format, and nothing in the request needs that one. */
export const isOpen = (
  named: string | null | undefined,
  format: FormatName,
  locale: string,
  expand: Paths,
): boolean =>
  (named ?? null) === null && format !== 'markdown' && locale !== everyLocale && expand.length === 0

/** Path and query of an absolute URL, as they were sent. */
export const addressOf = (url: string): string => url.slice(url.indexOf('/', 8))
