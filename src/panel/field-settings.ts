import { all } from '../resources/entries.js'
import { controlOf } from '../resources/entry-fields.js'
import {
  keptSettings,
  pairsOf,
  settingMember,
  shownSetting,
  tickedKinds,
  unknownSettings,
} from '../resources/field-settings.js'
import { limits, mediaKinds, type Setting, settingsOf } from '../services/content/field-settings.js'
import type { PlainText } from '../texts/text.js'
import type { Wording } from '../texts/wording.js'
import type { PanelContext } from './context.js'
import type { Choice, Field } from './form-field.js'
import type { Texts } from './pages.js'

const maxDatatypes = 1000

type Stored = Parameters<typeof keptSettings>[1]
interface Shown {
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly name: string
  readonly setting: Setting
  readonly type: string
  readonly value: string | string[]
  readonly wording: Wording
}

const choicesOf = (words: Readonly<Record<string, PlainText>>, { t }: Wording): Choice[] =>
  Object.entries(words).map(([value, word]) => ({ value, word: t(word) }))

/** Returns datatypes as choices by name, with those that the setting names and that no longer exist. */
async function datatypeChoices(
  named: readonly string[],
  { t }: Wording,
  context: PanelContext,
): Promise<Choice[]> {
  const found = await all(context.services.space.datatypes.list({}, { limit: maxDatatypes }))
  const known = found.map(({ name, label }) => ({ value: name, word: label }))
  known.sort((a, b) => a.word.localeCompare(b.word))
  const gone = named.filter(name => !known.some(({ value }) => value === name))
  return [...known, ...gone.map(value => ({ value, word: value, hint: t('missing') }))]
}

/** A control for a value of the field's type; the value may be missing. */
function valueField({ name, setting, type, value, options, wording }: Shown): Field {
  const label = wording.t(setting.label)
  const member = settingMember(name)
  const text = String(value)
  if (type === 'boolean') {
    const choices = choicesOf({ true: 'Yes', false: 'No' }, wording)
    return { name: member, label, kind: 'choice', none: '–', choices, value: text }
  }
  if (type === 'select') {
    const follows = settingMember('options')
    if (options.length === 0) return { name: member, label, value: text, follows }
    const words = new Map(options.map(([own, word]) => [own, word || own]))
    const choices = [...words].map(([own, word]) => ({ value: own, word }))
    return { name: member, label, kind: 'choice', none: '–', choices, value: text, follows }
  }
  return { ...controlOf({ name, label, field_type: type, data: {} }, text), name: member }
}

function kindFields({ name, setting: { label, hint }, value, wording }: Shown): Field[] {
  const { t } = wording
  const [ticked, types] = [[...value].filter(isKind), [...value].filter(kind => !isKind(kind))]
  return [
    {
      name: tickedKinds,
      label: t(label),
      hint: hint && t(hint),
      kind: 'choices',
      choices: choicesOf(mediaKinds, wording),
      value: ticked,
    },
    {
      name: settingMember(name),
      label: t('Media types'),
      hint: t('such as image/png, application/pdf'),
      mono: true,
      value: types.join(', '),
    },
  ]
}
const isKind = (kind: string) => Object.hasOwn(mediaKinds, kind)

async function fieldsOfSetting(shown: Shown, context: PanelContext): Promise<Field[]> {
  const { name, setting, value, wording } = shown
  const { t } = wording
  const { kind } = setting
  const hint = setting.hint && t(setting.hint)
  const base = { name: settingMember(name), label: t(setting.label), hint, value }
  switch (kind) {
    case 'count':
      return [{ ...base, kind: 'number' }]
    case 'flag':
      return [{ ...base, kind: 'switch' }]
    case 'pattern':
      return [{ ...base, mono: true }]
    case 'options':
      return [{ ...base, kind: 'rows', columns: [t('Value'), t('Label')], add: t('Add an option') }]
    case 'cardinality':
      return [{ ...base, kind: 'choice', choices: choicesOf({ one: 'One', many: 'Many' }, wording) }]
    case 'kinds':
      return kindFields(shown)
    case 'datatypes':
      return [{ ...base, kind: 'choices', choices: await datatypeChoices([...value], wording, context) }]
    case 'value':
      return [{ ...valueField(shown), hint }]
  }
}

function shownOptions(type: string, kept: Readonly<Record<string, unknown>>): string[] {
  const setting = settingsOf(type).get('options')
  return setting ? [shownSetting(setting, type, kept.options)].flat() : []
}

/**
 * Returns the fields of a form for all settings of a field type, and one for the data without a control.
 * @param typed the texts that were sent, if the form is shown again
 */
export async function settingFields(
  type: string,
  { stored, typed, wording }: { stored: Stored; typed: Texts | undefined; wording: Wording },
  context: PanelContext,
): Promise<Field[]> {
  const { t } = wording
  const group = t('Settings')
  const kept = keptSettings(type, stored)
  const upper = new Set<string>(limits.map(([, high]) => high))
  const fields: Field[] = []
  const sent = typed?.[settingMember('options')]
  const optionTexts = sent === undefined ? shownOptions(type, kept) : [sent].flat()
  const options = pairsOf(optionTexts)
  for (const [name, setting] of settingsOf(type)) {
    const value = shownSetting(setting, type, kept[name])
    const own = await fieldsOfSetting({ name, setting, type, value, options, wording }, context)
    fields.push(...own.map(field => ({ ...field, group, ...(upper.has(name) ? { beside: true } : {}) })))
  }
  const unknown = unknownSettings(type, kept)
  fields.push({
    name: 'data',
    label: t('JSON'),
    kind: 'json',
    hint: t('settings that have no control above'),
    value: Object.keys(unknown).length > 0 ? JSON.stringify(unknown, null, 2) : '',
    group,
    folded: t('More settings (JSON)'),
  })
  return fields
}
