import { hintsIn } from '../services/content/ui-config.js'
import type { Model, ModelField } from './entries.js'
import type { Choice, Field, Texts } from './form-field.js'
import { fieldTime } from './times.js'

export const memberOf = ({ name }: Pick<ModelField, 'name'>): string => `fields.${name}`
export const isMany = ({ data }: ModelField): boolean => data.cardinality === 'many'

/** Returns the names of a relation's target datatypes; empty for all. */
export const targetsOf = ({ data }: ModelField): string[] => [data.target ?? []].flat().map(String)

/** Returns the ids of datatypes by their names; without names those of all. */
export const datatypesOf = (model: Model, names: readonly string[]): string[] =>
  [...model.datatypes.values()]
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .map(({ datatype_id }) => datatype_id)

const optionsOf = ({ data }: Pick<ModelField, 'data'>): Choice[] =>
  (Array.isArray(data.options) ? data.options : []).map(option => {
    const { value = option, label = value } = Object(option) as { value?: unknown; label?: unknown }
    return { value: String(value), word: String(label) }
  })

type Written = Pick<ModelField, 'name' | 'label' | 'field_type' | 'data'> &
  Partial<Pick<ModelField, 'ui_config'>>

/** Returns the control of a field with its stored value; a relation or a file is a line for ids. */
export function controlOf(field: Written, stored: string): Field {
  const base = { name: memberOf(field), label: field.label, value: stored, ...hintsIn(field.ui_config) }
  switch (field.field_type) {
    case 'textarea':
      return { ...base, kind: 'lines' }
    case 'richtext':
      return { ...base, kind: 'html' }
    case 'json':
      return { ...base, kind: 'json' }
    case 'number':
    case 'date':
    case 'email':
      return { ...base, kind: field.field_type }
    case 'datetime':
      return { ...base, kind: 'datetime', value: fieldTime(stored) }
    case 'boolean':
      return { ...base, kind: 'switch' }
    case 'select':
      return { ...base, kind: 'choice', choices: optionsOf(field), none: '–' }
    default:
      return { ...base, kind: 'text', mono: field.field_type === 'slug' }
  }
}

function storedText(field: ModelField, given: string | readonly string[]): string {
  const texts = [given].flat()
  // Browsers send line breaks of forms as CRLF.
  const last = (texts.at(-1) ?? '').replaceAll('\r\n', '\n')
  const { field_type } = field
  if ((field_type === 'media' || field_type === 'relation') && isMany(field)) {
    const ids = texts.filter(Boolean)
    return ids.length === 0 ? '' : JSON.stringify(ids)
  }
  if (field_type === 'datetime' && /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(last)) return `${last}:00Z`
  return last
}

/** Whether a value is unchanged. An untouched switch is off without a value; a time keeps its hidden seconds. */
function isSame(field: ModelField, text: string, stored: string): boolean {
  if (text === stored) return true
  if (field.field_type === 'boolean') return stored === '' && text === 'false'
  return field.field_type === 'datetime' && text !== '' && fieldTime(text) === fieldTime(stored)
}

/**
 * Returns the values that a form changes, by the names of their fields; null removes a value.
 * @param storedOf returns the stored text
 */
export function changedValues(
  fields: readonly ModelField[],
  storedOf: (field: ModelField) => string,
  texts: Texts,
): Record<string, string | null> {
  const changes: Record<string, string | null> = {}
  for (const field of fields) {
    const given = texts[memberOf(field)]
    if (given === undefined) continue
    const text = storedText(field, given)
    if (!isSame(field, text, storedOf(field))) changes[field.name] = text === '' ? null : text
  }
  return changes
}
