import type { LeanEntry, LeanValue } from '../../db/queries/trees.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import { invalid } from '../../errors.js'
import type { MediaById } from '../media/record.js'
import type { Schema } from './content-model.js'
import type { FormatContext } from './formats/format.js'
import { mediaIn } from './page-media.js'
import type { LinkedEntries, Node } from './tree.js'

/** Asks the Contentful format for all locales at once. */
export const everyLocale = '*'

export interface ContextSettings {
  /** Whether content has locales, and the default one while none is made. */
  languages: () => { enabled: boolean; fallback: string }
  /** Where the public reaches pages, such as `https://site.example`; `''` when that is not configured. */
  origin: string
  /** The address of a media object for browsers. */
  mediaUrl: (key: string) => string
}

export interface PageContext {
  /** @throws 400 for a locale that there is not, or where there are none */
  refuseLocale(schema: Schema, asked: string): void
  /** Whether the public may see values of a locale, whatever the format shows of them. */
  isPublic(schema: Schema, locale: string): boolean
  /** What a format needs beside the tree: locales, linked entries, media. @throws as `refuseLocale` */
  of(
    schema: Schema,
    asked: string,
    shown: { root: Node<LeanEntry, LeanValue>; linked: LinkedEntries; showsMedia: boolean },
  ): Promise<FormatContext>
}

const noMedia: MediaById = new Map()

export function pageContext(
  read: Reader,
  space: ContentSpace,
  { languages, origin, mediaUrl }: ContextSettings,
): PageContext {
  function localesFor({ locales }: Schema, asked: string) {
    const { enabled, fallback } = languages()
    const isAll = enabled && asked === everyLocale
    if (asked !== '' && !isAll && !(enabled && locales.has(asked)))
      throw invalid('locale', 'there is no such locale')
    if (!enabled) return { locale: '', chain: [], all: undefined }
    const standard = [...locales.values()].find(({ is_default }) => is_default)?.code ?? fallback
    if (isAll) return { locale: '', chain: [], all: { codes: new Set(locales.keys()), standard } }
    const chain: string[] = []
    for (let at: string | null = asked || standard; at && !chain.includes(at); ) {
      chain.push(at)
      at = locales.get(at)?.fallback_code ?? null
    }
    return { locale: asked || standard, chain: [...new Set([...chain, standard])], all: undefined }
  }

  return {
    refuseLocale: (schema, asked) => void localesFor(schema, asked),
    isPublic: ({ locales }, locale) => locale === '' || (languages().enabled && locales.has(locale)),
    async of(schema, asked, { root, linked, showsMedia }) {
      const { locale, chain, all } = localesFor(schema, asked)
      const media =
        showsMedia && schema.hasMedia ? await mediaIn(read, space, root, linked, mediaUrl) : noMedia
      return { locale, chain, all, linked, media, origin }
    },
  }
}
