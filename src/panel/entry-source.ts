import { all, type ModelField } from '../resources/entries.js'
import { formattedText } from '../services/content/rich-text/formatted.js'
import type { PanelContext } from './context.js'
import type { Field } from './controls.js'
import type { View } from './view.js'

const written = new Set(['text', 'textarea', 'richtext', 'url'])
const maxLength = 600

interface Value {
  readonly field_id: string
  readonly locale: string
  readonly field_value: string
}

/** Returns the text that a translation is made of: that of the default language, else that of every language. */
export async function sourcesIn(locale: string, { services }: PanelContext, { t }: View) {
  if (locale === '') return []
  const [own] = await all(services.locales.list({ is_default: true }, { limit: 1 }))
  return [
    ...(own && own.code !== locale ? [{ code: own.code, label: own.label }] : []),
    { code: '', label: t('All languages') },
  ]
}

/** Adds the text to translate to a field of a translation, as help under its control and as a text to copy. */
export function withSource(
  control: Field,
  field: ModelField,
  values: readonly Value[],
  sources: Awaited<ReturnType<typeof sourcesIn>>,
): Field {
  if (!written.has(field.field_type)) return control
  for (const { code, label } of sources) {
    const found = values.find(({ field_id, locale }) => field_id === field.field_id && locale === code)
    const stored = found?.field_value ?? ''
    const text = field.field_type === 'richtext' ? (formattedText(stored)?.text ?? '') : stored
    if (text.trim() === '') continue
    const shown = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
    const help = [control.help, `${label}: ${shown.trim()}`].filter(Boolean).join('\n')
    return { ...control, help, copied: { text: stored, ...(code === '' ? {} : { from: label }) } }
  }
  return control
}
