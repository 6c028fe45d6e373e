import type { FieldType } from '../services/content/field-types.js'
import { typeProblem } from '../services/content/field-values.js'

/** Finds out what texts are, where an export has values alone and no model. */

const lastTime = Date.parse('9999-12-31T23:59:59.999Z')

/** ISO 8601, in UTC; undefined unless it is a time from 1970 on. */
export function timeOf(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? '')
  return time >= 0 && time <= lastTime ? new Date(time).toISOString() : undefined
}

const longText = 150
/** So many values say that a field has addresses alone. */
const manyValues = 3

const fits = (type: FieldType, values: readonly string[]): boolean =>
  values.every(value => typeProblem({ field_type: type, data: {} }, value) === undefined)

/** True if all values fit, and the name of the field or the number of values shows that this is no coincidence. */
const isMeant = (name: RegExp, field: string, values: readonly string[]): boolean =>
  values.length >= manyValues || (values.length > 0 && name.test(field))

/** The type of a field of texts. @param values those that are not empty */
export function textType(
  field: string,
  values: readonly string[],
  lose: (sentence: string) => void,
): FieldType {
  if (values.length === 0) return 'text'
  if (fits('date', values)) return 'date'
  if (fits('datetime', values)) {
    if (values.some(value => timeOf(value) !== value)) lose('Times are returned in UTC with milliseconds')
    return 'datetime'
  }
  if (isMeant(/e-?mail/i, field, values) && fits('email', values)) return 'email'
  const isAddress = values.every(value => /^(?:https?|mailto|tel):/i.test(value))
  if (isAddress && isMeant(/url|link|href|website/i, field, values) && fits('url', values)) return 'url'
  return values.some(value => value.length > longText || /[\r\n]/.test(value)) ? 'textarea' : 'text'
}

/** `publishedAt` as `Published at`. */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_.-]+/g, ' ')
    .trim()
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
