import { invalid } from '../errors.js'
import {
  mediaKinds,
  optionValue,
  type Setting,
  type SettingKind,
  settingsOf,
} from '../services/content/field-settings.js'
import { sizeProblem } from '../services/json-text.js'
import type { Texts } from './form-field.js'
import { fieldTime, withZone } from './times.js'

/** Conversion between the settings of a field and a form with a control for each. */

type Data = Readonly<Record<string, unknown>>

interface Stored {
  readonly field_type: string
  readonly data: Data
}

/** Returns the form's member for a setting. Settings without a control are JSON in `data`. */
export const settingMember = (name: string): string => `data.${name}`
/** The ticked kinds of files; media types are in the member of the setting. */
export const tickedKinds = settingMember('kinds.ticked')

const isKind = (text: string) => Object.hasOwn(mediaKinds, text)
const listOf = (value: unknown): unknown[] => [value ?? []].flat()
const textsOf = (value: unknown): string[] => listOf(value).map(String)

function optionTexts(option: unknown): [value: string, label: string] {
  const label = (Object(option) as { label?: unknown }).label
  return [optionValue(option), typeof label === 'string' ? label : '']
}

function valueText(type: string, value: unknown): string {
  if (value === undefined) return ''
  if (type === 'json') return JSON.stringify(value, null, 2)
  if (type !== 'datetime') return String(value)
  const at = Date.parse(String(value))
  return Number.isNaN(at) ? String(value) : fieldTime(new Date(at).toISOString())
}

/** Returns what the control of a stored setting shows. Options are a list of value and label in turn. */
export function shownSetting({ kind }: Setting, type: string, value: unknown): string | string[] {
  switch (kind) {
    case 'flag':
      return String(value === true)
    case 'options':
      return listOf(value).flatMap(optionTexts)
    case 'cardinality':
      return value === 'many' ? 'many' : 'one'
    case 'kinds':
    case 'datatypes':
      return textsOf(value)
    case 'value':
      return valueText(type, value)
    default:
      return value === undefined ? '' : String(value)
  }
}

/** The stored settings that stay when the field has this type. */
export function keptSettings(type: string, stored: Stored | undefined): Data {
  if (!stored || stored.field_type === type) return stored?.data ?? {}
  return unknownSettings(stored.field_type, stored.data)
}

/** The settings that the type does not have. */
export const unknownSettings = (type: string, data: Data): Data =>
  Object.fromEntries(Object.entries(data).filter(([name]) => !settingsOf(type).has(name)))

const numberText = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** Anything that is not a number is rejected by the validation, in its own words. */
const numberOf = (text: string) => (numberText.test(text.trim()) ? Number(text) : text)

function jsonOf(member: string, text: string): unknown {
  const problem = sizeProblem(text)
  if (problem) throw invalid(member, problem)
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(member, 'must be JSON')
  }
}

/** Returns the options of a form. Unchanged ones stay as they were stored, as numbers or objects. */
function optionsOf(texts: readonly string[], stored: unknown): unknown {
  const known = listOf(stored).filter(
    option => option !== null && ['string', 'number', 'object'].includes(typeof option),
  )
  const before = new Map(known.map(option => [optionValue(option), option]))
  const options = pairsOf(texts).map(([value, label]): unknown => {
    const old = before.get(value)
    if (old !== undefined && optionTexts(old)[1] === label) return old
    const raw = typeof old === 'object' ? { ...old } : { value: old ?? value }
    if (label !== '' && label !== value) return { ...raw, label }
    return Object(raw).value ?? value
  })
  return options.length > 0 ? options : undefined
}

function typedValue(member: string, type: string, text: string): unknown {
  if (text === '') return undefined
  switch (type) {
    case 'number':
      return numberOf(text)
    case 'boolean':
      return text === 'true'
    case 'json':
      return jsonOf(member, text)
    case 'datetime':
      return withZone(member)({ [member]: text })[member]
    default:
      return text
  }
}

function sentSetting(
  name: string,
  { kind }: Setting,
  type: string,
  given: string[],
  stored: unknown,
): unknown {
  const member = settingMember(name)
  // Browsers send line breaks of forms as CRLF.
  const last = (given.at(-1) ?? '').replaceAll('\r\n', '\n')
  const chosen = given.filter(Boolean)
  switch (kind) {
    case 'flag':
      return last === 'true' ? true : undefined
    case 'options':
      return optionsOf(given, stored)
    case 'cardinality':
      return last === 'many' ? last : undefined
    case 'kinds':
      return chosen.length > 0 ? chosen : undefined
    case 'datatypes':
      return chosen.length > 1 ? chosen : chosen[0]
    case 'count':
      return last === '' ? undefined : numberOf(last)
    case 'value':
      return typedValue(member, type, last)
    default:
      return last === '' ? undefined : last
  }
}

function givenTexts(name: string, { kind }: Setting, texts: Texts): string[] | undefined {
  const given = texts[settingMember(name)]
  if (kind !== 'kinds') return given === undefined ? undefined : [given].flat()
  const ticked = texts[tickedKinds]
  if (given === undefined && ticked === undefined) return undefined
  const types = [given ?? []].flat().flatMap(text => text.split(/[\s,]+/))
  return [...[ticked ?? []].flat().filter(isKind), ...types].filter(Boolean)
}

/** Returns value and label of each row that is filled in; a label alone is the value too. */
export function pairsOf(texts: readonly string[]): [value: string, label: string][] {
  const pairs: [string, string][] = []
  for (let i = 0; i < texts.length; i += 2) {
    const [value = '', label = ''] = texts.slice(i, i + 2).map(text => text.trim())
    if (value !== '' || label !== '') pairs.push([value || label, label])
  }
  return pairs
}

function isSame(kind: SettingKind, shown: string | readonly string[], given: readonly string[]): boolean {
  if (typeof shown === 'string') return shown === given.at(-1)?.replaceAll('\r\n', '\n')
  const told = (all: readonly string[]) =>
    kind === 'options' ? pairsOf(all) : all.filter(Boolean).toSorted()
  return JSON.stringify(told(shown)) === JSON.stringify(told(given))
}

function restOf({ data }: Texts): Data | undefined {
  const [text] = [data ?? []].flat()
  if (text === undefined) return undefined
  const rest = text.trim() === '' ? {} : jsonOf('data', text)
  if (typeof rest !== 'object' || rest === null || Array.isArray(rest))
    throw invalid('data', 'must be a JSON object')
  return rest as Data
}

const isOfSetting = (name: string) => name.startsWith(settingMember(''))

interface Sent {
  readonly type: string
  readonly texts: Texts
  readonly kept: Data
  readonly rest: Data | undefined
}

function valueAfter(name: string, { type, texts, kept, rest }: Sent): unknown {
  const setting = settingsOf(type).get(name)
  const given = setting && givenTexts(name, setting, texts)
  const inRest = rest && Object.hasOwn(rest, name) ? rest[name] : undefined
  const before = Object.hasOwn(kept, name) ? kept[name] : undefined
  if (!setting || !given) return rest ? inRest : before
  const value = isSame(setting.kind, shownSetting(setting, type, before), given)
    ? before
    : sentSetting(name, setting, type, given, before)
  if (value !== undefined && inRest !== undefined) throw invalid('data', `${name} has a field of its own`)
  return value === undefined ? inRest : value
}

/**
 * Returns the texts of a form with all settings as the JSON of `data`. Settings without a control, and those that are
 * as the form showed them, stay as they are stored.
 * @param stored the field that is changed
 * @throws 400 for invalid JSON, and for a setting that is in its control and in the JSON
 */
export function withSettings(texts: Texts, stored?: Stored): Texts {
  const others = Object.fromEntries(Object.entries(texts).filter(([name]) => !isOfSetting(name)))
  const isAbout = 'data' in texts || Object.keys(texts).some(isOfSetting)
  const type = String([texts.field_type ?? stored?.field_type ?? ''].flat()[0])
  const settings = settingsOf(type)
  if (!isAbout || settings.size === 0) return others
  const kept = keptSettings(type, stored)
  const sent: Sent = { type, texts, kept, rest: restOf(texts) }
  const names = new Set([...Object.keys(kept), ...settings.keys(), ...Object.keys(sent.rest ?? {})])
  const data = [...names].map(name => [name, valueAfter(name, sent)] as const)
  return { ...others, data: JSON.stringify(Object.fromEntries(data)) }
}
