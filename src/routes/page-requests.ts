import type { Config } from '../config.js'
import { invalid, notFound } from '../errors.js'
import { localeCode } from '../services/content/locales.js'
import type { Audience } from '../services/delivery/audience.js'
import { everyLocale } from '../services/delivery/format-context.js'
import { formatNames, isFormatName } from '../services/delivery/formats/index.js'
import { type PageRequest, pageRequest } from '../services/delivery/page-request.js'
import { slugOfPath } from '../services/text.js'

/** Addresses whose meaning is remembered; what callers can vary must not fill memory. */
const keptAddresses = 5000

export interface PageRequests {
  /** @throws 400 for an unknown format, 404 for what cannot be a slug */
  of(address: string): PageRequest
  /** What the address is known to mean. */
  known(address: string): PageRequest | undefined
}

/**
 * The pages that addresses ask for: a slug behind the prefix, `format`, `locale`, and where drafts can be seen `status`.
 * @param prefix of the path, without a slash at its end
 */
export function pageRequests(prefix: string, audience: Audience, config: () => Config): PageRequests {
  const meanings = new Map<string, PageRequest>()
  return {
    known: address => meanings.get(address),
    of(address) {
      const before = meanings.get(address)
      if (before) return before
      const question = address.indexOf('?')
      const path = question < 0 ? address : address.slice(0, question)
      const query = new URLSearchParams(question < 0 ? '' : address.slice(question))
      const given = query.get('format')
      const format = given ?? config().output_format
      if (!isFormatName(format)) throw invalid('format', `must be one of ${formatNames.join(', ')}`)
      const slug = slugOfPath(path, prefix)
      if (slug === undefined) throw notFound()
      const locale = query.get('locale') ?? ''
      // Contentful's own way to ask for all of them.
      const isAll = locale === everyLocale && format === 'contentful'
      if (locale !== '' && !isAll && !localeCode.safeParse(locale).success)
        throw invalid('locale', 'must be a language tag such as de or de-AT')
      const published = query.get('status') === 'published'
      const request = pageRequest({ slug, format, audience: published ? 'public' : audience, locale })
      // Without the parameter the configuration decides, and that may change.
      if (given !== null) {
        if (meanings.size >= keptAddresses) meanings.clear()
        meanings.set(address, request)
      }
      return request
    },
  }
}

/** Path and query of an absolute URL, as they were sent. */
export const addressOf = (url: string): string => url.slice(url.indexOf('/', 8))
