import type { ImportedLocale } from '../../services/import/site.js'
import type { Page } from './pages.js'
import { languageName } from './places.js'

export interface Languages {
  /** The default one first; empty for a site in one language. */
  readonly locales: readonly ImportedLocale[]
  readonly standard: string | undefined
  of(page: Page): string | undefined
}

const codeOf = (language: string): string => Intl.getCanonicalLocales(language)[0] ?? language

/**
 * The languages of a site: pages without one are in the default one.
 * @param configured the default one, where the settings of the site say it
 */
export function languagesOf(pages: readonly Page[], configured: string | undefined): Languages {
  const counts = new Map<string, number>()
  for (const { place } of pages) {
    const code = place.language && codeOf(place.language)
    if (code) counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  if (counts.size === 0) return { locales: [], standard: undefined, of: () => undefined }
  const own =
    configured !== undefined && languageName(configured) !== undefined ? codeOf(configured) : undefined
  const hasOthers = pages.some(({ place }) => place.language === undefined)
  const [most] = [...counts].sort(([, a], [, b]) => b - a)
  const isKnown = own !== undefined && (hasOthers || counts.has(own))
  const standard = isKnown ? own : hasOthers || counts.has('en') ? 'en' : (most?.[0] ?? 'en')
  const codes = [standard, ...[...counts.keys()].filter(code => code !== standard).sort()]
  return {
    locales: codes.map(code => ({ code, label: languageName(code) ?? code })),
    standard,
    of: ({ place }) => (place.language === undefined ? standard : codeOf(place.language)),
  }
}
