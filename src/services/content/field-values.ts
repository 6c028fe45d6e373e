import { z } from 'zod'
import { invalid } from '../../errors.js'
import { isUlid } from '../../ids.js'
import { hasHidden, isSlugText } from '../text.js'
import type { FieldType } from './field-types.js'
import { parseRichText } from './rich-text/parse.js'

/** What a check needs to know of a field. `data` holds its settings. */
export interface CheckedField {
  readonly name: string
  readonly field_type: string
  readonly required: boolean
  readonly data: Readonly<Record<string, unknown>>
}

/** Records that a value names; the caller sees to it that they exist. */
export interface Named {
  media: string[]
  content: string[]
}

type Problem = string | undefined
type ValueCheck = (value: string, data: CheckedField['data']) => Problem

const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const dateText = z.regexes.date
const dateTimeText = z.regexes.datetime({ offset: true })
/**
 * International addresses are taken, which zod's rule refuses; its loose rule would take what begins markup or
 * another address.
 */
const emailText =
  /^[^\s@"(),:;<>[\]\\]{1,64}@(?=.{1,253}$)[^\s@.,:;<>[\]\\()"]+(?:\.[^\s@.,:;<>[\]\\()"]+)*$/u

/** The values that a select offers: texts, or objects with a value. */
const selectOptions = (data: CheckedField['data']): string[] =>
  Array.isArray(data.options)
    ? data.options.map(option => String((option as { value?: unknown } | null)?.value ?? option))
    : []

/** The ids that a media or relation value names: one, or a JSON array of them where the field takes many. */
function namedIds(value: string, data: CheckedField['data']): string[] | undefined {
  if (data.cardinality !== 'many') return isUlid(value) ? [value] : undefined
  try {
    const list: unknown = JSON.parse(value)
    return Array.isArray(list) && list.every(isUlid) ? list : undefined
  } catch {
    return undefined
  }
}

/** The same, in either form: a field's setting can change while there are values of the other. */
export const anyIds = (value: string): string[] =>
  namedIds(value, { cardinality: 'one' }) ?? namedIds(value, { cardinality: 'many' }) ?? []

const anyText: ValueCheck = () => undefined
const ids: ValueCheck = (value, data) => {
  if (namedIds(value, data)) return undefined
  return data.cardinality === 'many' ? 'must be a JSON array of ids' : 'must be an id'
}

const checks: Record<FieldType, ValueCheck> = {
  text: anyText,
  textarea: anyText,
  richtext: value => parseRichText(value).problem,
  number(value, { min, max, integer }) {
    const number = Number(value)
    if (!numberText.test(value) || !Number.isFinite(number)) return 'must be a number'
    if (integer === true && !Number.isInteger(number)) return 'must be a whole number'
    if (typeof min === 'number' && number < min) return `must be at least ${min}`
    if (typeof max === 'number' && number > max) return `must be at most ${max}`
    return undefined
  },
  date: value => (dateText.test(value) ? undefined : 'must be a date such as 2026-01-31'),
  datetime: value => (dateTimeText.test(value) ? undefined : 'must be a time such as 2026-01-31T12:00:00Z'),
  boolean: value => (value === 'true' || value === 'false' ? undefined : 'must be true or false'),
  select(value, data) {
    const options = selectOptions(data)
    return options.length === 0 || options.includes(value)
      ? undefined
      : `must be one of ${options.join(', ')}`
  },
  media: ids,
  relation: ids,
  json(value) {
    try {
      JSON.parse(value)
      return undefined
    } catch {
      return 'must be JSON'
    }
  },
  slug: value => (isSlugText(value) ? undefined : 'must be a slug such as about-us'),
  email: value => (emailText.test(value) ? undefined : 'must be an e-mail address'),
  url(value) {
    // A front end puts this into href and src, so no scheme that runs code. Browsers leave out line ends and tabs, and
    // what begins with two slashes of either kind is another host.
    if (hasHidden(value)) return 'must have no control or invisible characters'
    if (/^(?:\/(?![/\\])|#)/.test(value)) return undefined
    return /^(https?|mailto|tel):/i.test(value) && URL.canParse(value) ? undefined : 'must be an address'
  },
}

/**
 * Checks a value against its field. An empty value is allowed unless the field is required.
 * @returns the records that the value names
 * @throws 400 that names the field
 */
export function checkValue(field: CheckedField, value: string): Named {
  const named: Named = { media: [], content: [] }
  if (value === '') {
    if (field.required) throw invalid('field_value', `${field.name} is required`)
    return named
  }
  const problem = checks[field.field_type as FieldType](value, field.data)
  if (problem) throw invalid('field_value', `${field.name} ${problem}`)
  if (field.field_type === 'media') named.media = namedIds(value, field.data) ?? []
  if (field.field_type === 'relation') named.content = namedIds(value, field.data) ?? []
  return named
}
