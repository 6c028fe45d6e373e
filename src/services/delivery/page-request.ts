import type { Audience, PageAudience } from './audience.js'
import type { Paths } from './expand.js'
import type { FormatName } from './formats/index.js'

export interface PageRequest {
  readonly slug: string
  readonly format: FormatName
  readonly audience: PageAudience
  readonly locale: string
  readonly expand: Paths
  /** Whether the request names no format, so that its `Accept` may ask for Markdown. */
  readonly isOpen: boolean
  /** Whether texts say where they are edited. Only for previews. */
  readonly sourcemaps: boolean
  readonly key: string
}

/** Asks for the trees that hang on no route, all or those of one datatype. */
export interface GlobalsRequest extends Pick<PageRequest, 'format' | 'isOpen' | 'locale' | 'expand'> {
  readonly audience: Audience
  readonly datatype: string | undefined
}

export function pageRequest(
  asked: Omit<PageRequest, 'key' | 'expand' | 'isOpen' | 'sourcemaps'> &
    Partial<Pick<PageRequest, 'expand' | 'isOpen' | 'sourcemaps'>>,
): PageRequest {
  const { slug, format, audience, locale, expand = [], isOpen = false } = asked
  const sourcemaps = asked.sourcemaps === true && audience === 'preview'
  const paths = expand.length === 0 ? '' : `?${expand.map(path => path.join('.')).join()}`
  const marks = sourcemaps ? '?sourcemaps' : ''
  const key = `${audience}/${format}${paths}${marks}/${locale}${slug}`
  return { slug, format, audience, locale, expand, isOpen, sourcemaps, key }
}
