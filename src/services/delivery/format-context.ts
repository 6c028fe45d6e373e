import type { LeanEntry, LeanValue } from '../../db/queries/trees.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import { invalid } from '../../errors.js'
import { lookUpShorter, lookUpTag } from '../../language-tags.js'
import type { MediaById } from '../media/record.js'
import type { Schema } from './content-model.js'
import type { FormatContext } from './formats/format.js'
import { mediaIn } from './page-media.js'
import { shownLinks } from './shown-route.js'
import type { LinkedEntries, Node } from './tree.js'

/** Asks the Contentful format for all locales at once. */
export const everyLocale = '*'

export interface ContextSettings {
  languages: () => { enabled: boolean; fallback: string }
  /** Where the public reaches pages, such as `https://site.example`; `''` when that is not configured. */
  origin: string
  mediaUrl: (key: string) => string
}

/** Stands for the languages in what is kept of answers, so that those under other settings are not given. */
export function languageKey({ languages }: Pick<ContextSettings, 'languages'>): string {
  const { enabled, fallback } = languages()
  return enabled ? fallback : ''
}

/** Which locale is shown, and which others stand in for it. */
export interface LocaleChoice {
  readonly locale: string
  readonly chain: readonly string[]
}

export interface PageContext {
  /** @throws 400 for any locale of a site without locales */
  localesFor(schema: Schema, asked: string): LocaleChoice
  /** @throws 400 for any locale of a site without locales */
  refuseLocale(schema: Schema, asked: string): void
  /** The locale that is shown when this one is asked for (RFC 4647, Lookup); `''` for the default one. */
  shownLocale(schema: Schema, asked: string): string
  /** Whether the public may see values of a locale, whatever the format shows of them. */
  isPublic(schema: Schema, locale: string): boolean
  /** Reads the context of a format beside the tree: locales, linked entries, media. @throws as `refuseLocale` */
  of(
    schema: Schema,
    asked: string,
    shown: { root: Node<LeanEntry, LeanValue>; linked: LinkedEntries; showsMedia: boolean },
  ): Promise<Omit<FormatContext, 'stored'>>
}

const noMedia: MediaById = new Map()

export function pageContext(
  read: Reader,
  space: ContentSpace,
  { languages, origin, mediaUrl }: ContextSettings,
): PageContext {
  function shownLocale({ locales }: Schema, asked: string): string {
    if (asked === '' || asked === everyLocale || !languages().enabled) return asked
    return lookUpTag(asked, locales) ?? ''
  }

  function localesFor(schema: Schema, given: string) {
    const { locales } = schema
    const { enabled, fallback } = languages()
    if (given !== '' && !enabled) throw invalid('locale', 'locales are not enabled: i18n_enabled is false')
    const asked = shownLocale(schema, given)
    const isAll = asked === everyLocale
    if (!enabled) return { locale: '', chain: [], all: undefined }
    const standard = [...locales.values()].find(({ is_default }) => is_default)?.code ?? fallback
    if (isAll) return { locale: '', chain: [], all: { codes: new Set(locales.keys()), standard } }
    const chain: string[] = []
    for (let at: string | null = asked || standard; at && !chain.includes(at); ) {
      chain.push(at)
      at = locales.get(at)?.fallback_code ?? lookUpShorter(at, locales) ?? null
    }
    return { locale: asked || standard, chain: [...new Set([...chain, standard])], all: undefined }
  }

  return {
    localesFor,
    refuseLocale: (schema, asked) => void localesFor(schema, asked),
    shownLocale,
    isPublic: ({ locales }, locale) => locale === '' || (languages().enabled && locales.has(locale)),
    async of(schema, asked, { root, linked, showsMedia }) {
      const { locale, chain, all } = localesFor(schema, asked)
      const media =
        showsMedia && (schema.hasMedia || schema.hasRichText)
          ? await mediaIn(read, space, root, linked, mediaUrl)
          : noMedia
      return { locale, chain, all, linked: shownLinks(linked, chain), media, origin }
    },
  }
}
