import type { Audience } from './audience.js'
import type { Paths } from './expand.js'
import type { FormatName } from './formats/index.js'

export interface PageRequest {
  readonly slug: string
  readonly format: FormatName
  readonly audience: Audience
  /** The locale that was asked for, `''` for the default. */
  readonly locale: string
  /** Relations that are shown with fields; none in formats other than `native`. */
  readonly expand: Paths
  /** All of these in one: what its answer is found by. */
  readonly key: string
}

/** Asks for the trees that hang on no route, all or those of one datatype. */
export interface GlobalsRequest extends Pick<PageRequest, 'format' | 'audience' | 'locale' | 'expand'> {
  /** The name of the datatype. */
  readonly datatype: string | undefined
}

export function pageRequest(
  asked: Omit<PageRequest, 'key' | 'expand'> & { readonly expand?: Paths },
): PageRequest {
  const { slug, format, audience, locale, expand = [] } = asked
  const paths = expand.length === 0 ? '' : `?${expand.map(path => path.join('.')).join()}`
  return { slug, format, audience, locale, expand, key: `${audience}/${format}${paths}/${locale}${slug}` }
}
