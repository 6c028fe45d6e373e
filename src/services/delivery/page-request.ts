import type { Audience } from './audience.js'
import type { FormatName } from './formats/index.js'

export interface PageRequest {
  readonly slug: string
  readonly format: FormatName
  readonly audience: Audience
  /** The locale that was asked for, `''` for the default. */
  readonly locale: string
  /** All of these in one: what its answer is found by. */
  readonly key: string
}

/** Asks for the trees that hang on no route, all or those of one datatype. */
export interface GlobalsRequest extends Pick<PageRequest, 'format' | 'audience' | 'locale'> {
  /** The name of the datatype. */
  readonly datatype: string | undefined
}

export function pageRequest(asked: Omit<PageRequest, 'key'>): PageRequest {
  const { slug, format, audience, locale } = asked
  return { slug, format, audience, locale, key: `${audience}/${format}/${locale}${slug}` }
}
