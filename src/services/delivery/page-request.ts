import type { Audience, PageAudience } from './audience.js'
import type { Paths } from './expand.js'
import type { FormatName } from './formats/index.js'

export interface PageRequest {
  readonly slug: string
  readonly format: FormatName
  readonly audience: PageAudience
  /** The locale that was asked for, `''` for the default. */
  readonly locale: string
  /** Relations that are shown with fields; empty in formats other than `native`. */
  readonly expand: Paths
  /** Whether texts say where they are edited. Only for previews. */
  readonly sourcemaps: boolean
  /** All of these in one: what its answer is found by. */
  readonly key: string
}

/** Asks for the trees that hang on no route, all or those of one datatype. */
export interface GlobalsRequest extends Pick<PageRequest, 'format' | 'locale' | 'expand'> {
  readonly audience: Audience
  /** The name of the datatype. */
  readonly datatype: string | undefined
}

export function pageRequest(
  asked: Omit<PageRequest, 'key' | 'expand' | 'sourcemaps'> &
    Partial<Pick<PageRequest, 'expand' | 'sourcemaps'>>,
): PageRequest {
  const { slug, format, audience, locale, expand = [] } = asked
  const sourcemaps = asked.sourcemaps === true && audience === 'preview'
  const paths = expand.length === 0 ? '' : `?${expand.map(path => path.join('.')).join()}`
  const marks = sourcemaps ? '?sourcemaps' : ''
  const key = `${audience}/${format}${paths}${marks}/${locale}${slug}`
  return { slug, format, audience, locale, expand, sourcemaps, key }
}
