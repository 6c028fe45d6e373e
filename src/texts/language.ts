import { browser as mirrored, mirroredLanguage } from './mirrored.js'
import { type Wording, wording } from './wording.js'

/** The languages of the panel, each by its own name. */
export const languages = { en: 'English', de: 'Deutsch', fr: 'Français' } as const
export type Language = keyof typeof languages

/** Written from right to left, for tests of the layout only. */
export const mirroredWording: Wording = wording(mirroredLanguage, mirrored)

/** Returns the direction of a language for HTML; undefined from left to right. */
export const directionOf = (language: string): 'rtl' | undefined =>
  language === mirroredLanguage ? 'rtl' : undefined

/** The texts in English, which the terminal shows too. */
export const english: Wording = wording('en', undefined)

const loading: Partial<Record<Language, Promise<Wording>>> = {}

/** Reads the texts of a language, once. */
export function wordingIn(language: Language): Promise<Wording> {
  loading[language] ??= load(language)
  return loading[language]
}

async function load(language: Language): Promise<Wording> {
  if (language === 'en') return english
  const { translation, refusals } = await (language === 'de' ? import('./de.js') : import('./fr.js'))
  return wording(language, translation, refusals)
}

/** Returns the first language of an `Accept-Language` header that the panel has, else English. */
export function preferredLanguage(header: string | undefined): Language {
  for (const range of (header ?? '').slice(0, 200).split(',')) {
    const [tag = ''] = range.trim().toLowerCase().split(/[-;]/)
    if (Object.hasOwn(languages, tag)) return tag as Language
  }
  return 'en'
}
