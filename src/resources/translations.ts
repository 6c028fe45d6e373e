import type { Wording } from '../texts/wording.js'
import { all } from './entries.js'
import type { Field, Texts } from './form-field.js'
import type { ResourceParts } from './resource.js'

const maxLocales = 100
const translated = /^translations\.([^.]+)\.(\w+)$/

type Translations = Readonly<Record<string, Readonly<Record<string, string | undefined>>>>
interface Translated {
  readonly member: string
  readonly label: string
  readonly mono?: boolean
  readonly beside?: boolean
}

/** Returns fields for the texts of a record in each other language; refusals name the same members. */
export async function translationFields(
  { services: { locales } }: ResourceParts,
  known: Translations,
  texts: readonly Translated[],
  { t }: Wording,
): Promise<Field[]> {
  const found = await all(locales.list({}, { limit: maxLocales }))
  return found
    .filter(({ is_default }) => !is_default)
    .flatMap(({ code, label: language }) =>
      texts.map(({ member, label, ...look }): Field => {
        const name = `translations.${code}.${member}`
        const value = known[code]?.[member] ?? ''
        return { name, label: t('{label} in {language}', { label, language }), value, ...look }
      }),
    )
}

/** Joins the translations into one member; empty ones are removed. */
export function withTranslations(texts: Texts): Texts {
  const kept: Record<string, string | readonly string[]> = {}
  const translations: Record<string, Record<string, string | null>> = {}
  for (const [name, text] of Object.entries(texts)) {
    const [, code, member] = translated.exec(name) ?? []
    if (code && member) translations[code] = { ...translations[code], [member]: String(text) || null }
    else kept[name] = text
  }
  return Object.keys(translations).length > 0 ? { ...kept, translations: JSON.stringify(translations) } : kept
}
