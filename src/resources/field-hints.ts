import { type Hints, hintsIn, hintsOf, type UiConfig } from '../services/content/ui-config.js'
import type { PlainText } from '../texts/text.js'
import type { Wording } from '../texts/wording.js'
import type { Field, Texts } from './form-field.js'

/** Conversion between the hints of a field and a form with a control for each. */

const hintMember = (name: string): string => `ui_config.${name}`

const controls: Readonly<Record<keyof Hints, { label: PlainText; hint: PlainText; kind?: 'number' }>> = {
  help: { label: 'Help text', hint: 'shown under the control' },
  placeholder: { label: 'Placeholder', hint: 'shown while it is empty' },
  rows: { label: 'Lines', hint: 'height of the control, from 2 to 50', kind: 'number' },
}

/** A control for each hint that fields of a type have. */
export const hintFields = (type: string, stored: UiConfig | undefined, { t }: Wording): Field[] =>
  hintsOf(type).map(name => ({
    ...controls[name],
    label: t(controls[name].label),
    hint: t(controls[name].hint),
    name: hintMember(name),
    value: String(hintsIn(stored)[name] ?? ''),
  }))

/** Returns the texts of a form with the hints as the JSON of `ui_config`. Hints without a control stay unchanged. */
export function withHints(texts: Texts, stored: UiConfig = {}): Texts {
  const others = Object.entries(texts).filter(([name]) => !name.startsWith(hintMember('')))
  if (others.length === Object.keys(texts).length) return texts
  const hints = { ...stored }
  for (const name of Object.keys(controls) as (keyof Hints)[]) {
    const given = texts[hintMember(name)]
    if (given === undefined) continue
    const text = ([given].flat().at(-1) ?? '').trim()
    if (text === '') delete hints[name]
    else hints[name] = controls[name].kind === 'number' && /^\d+$/.test(text) ? Number(text) : text
  }
  return { ...Object.fromEntries(others), ui_config: JSON.stringify(hints) }
}
