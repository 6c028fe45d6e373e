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
import type { PanelContext } from './context.js'
import type { Choice, Field } from './form-field.js'
import type { Texts } from './pages.js'

/** The most datatypes to choose from. */
const maxDatatypes = 1000

type Stored = Parameters<typeof keptSettings>[1]
interface Shown {
  /** Value and label of the form's options. */
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly name: string
  readonly setting: Setting
  readonly type: string
  readonly value: string | string[]
}

const choicesOf = (words: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(words).map(([value, word]) => ({ value, word }))

/** Returns datatypes as choices by name, with those that the setting names and that no longer exist. */
async function datatypeChoices(named: readonly string[], context: PanelContext): Promise<Choice[]> {
  const found = await all(context.services.space.datatypes.list({}, { limit: maxDatatypes }))
  const known = found.map(({ name, label }) => ({ value: name, word: label }))
  known.sort((a, b) => a.word.localeCompare(b.word))
  const gone = named.filter(name => !known.some(({ value }) => value === name))
  return [...known, ...gone.map(value => ({ value, word: value, hint: 'is not there' }))]
}

/** A control for a value of the field's type; the value may be missing. */
function valueField({ name, setting: { label }, type, value, options }: Shown): Field {
  const member = settingMember(name)
  const text = String(value)
  if (type === 'boolean') {
    const choices = choicesOf({ true: 'Yes', false: 'No' })
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

function kindFields({ name, setting: { label, hint }, value }: Shown): Field[] {
  const [ticked, types] = [[...value].filter(isKind), [...value].filter(kind => !isKind(kind))]
  return [
    { name: tickedKinds, label, hint, kind: 'choices', choices: choicesOf(mediaKinds), value: ticked },
    {
      name: settingMember(name),
      label: 'Media types',
      hint: 'such as image/png, application/pdf',
      mono: true,
      value: types.join(', '),
    },
  ]
}
const isKind = (kind: string) => Object.hasOwn(mediaKinds, kind)

async function fieldsOfSetting(shown: Shown, context: PanelContext): Promise<Field[]> {
  const { name, setting, type, value } = shown
  const { kind, label } = setting
  const hint =
    type === 'datetime' && kind === 'value'
      ? [setting.hint, 'in UTC'].filter(Boolean).join(', ')
      : setting.hint
  const base = { name: settingMember(name), label, hint, value }
  switch (kind) {
    case 'count':
      return [{ ...base, kind: 'number' }]
    case 'flag':
      return [{ ...base, kind: 'switch' }]
    case 'pattern':
      return [{ ...base, mono: true }]
    case 'options':
      return [{ ...base, kind: 'rows', columns: ['Value', 'Label'], one: 'an option' }]
    case 'cardinality':
      return [{ ...base, kind: 'choice', choices: choicesOf({ one: 'One', many: 'Many' }) }]
    case 'kinds':
      return kindFields(shown)
    case 'datatypes':
      return [{ ...base, kind: 'choices', choices: await datatypeChoices([...value], context) }]
    case 'value':
      return [{ ...valueField(shown), hint }]
  }
}

/** The texts of the rows of options, if the type has options. */
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
  { stored, typed }: { stored: Stored; typed: Texts | undefined },
  context: PanelContext,
): Promise<Field[]> {
  const group = 'Settings'
  const kept = keptSettings(type, stored)
  const upper = new Set<string>(limits.map(([, high]) => high))
  const fields: Field[] = []
  const sent = typed?.[settingMember('options')]
  const optionTexts = sent === undefined ? shownOptions(type, kept) : [sent].flat()
  const options = pairsOf(optionTexts)
  for (const [name, setting] of settingsOf(type)) {
    const value = shownSetting(setting, type, kept[name])
    const own = await fieldsOfSetting({ name, setting, type, value, options }, context)
    fields.push(...own.map(field => ({ ...field, group, ...(upper.has(name) ? { beside: true } : {}) })))
  }
  const unknown = unknownSettings(type, kept)
  fields.push({
    name: 'data',
    label: 'JSON',
    kind: 'json',
    hint: 'settings without a field above',
    value: Object.keys(unknown).length > 0 ? JSON.stringify(unknown, null, 2) : '',
    group,
    folded: 'More settings (JSON)',
  })
  return fields
}
