import { z } from 'zod'
import { invalid } from '../../errors.js'
import { isUlid, storedId } from '../../ids.js'
import { sizeProblem } from '../json-text.js'
import { hasHidden, isSlugText } from '../text.js'
import type { FieldType } from './field-types.js'
import { parseRichText } from './rich-text/parse.js'

/** The parts of a field that decide the type of its values. `data` holds the settings of the field. */
export interface TypedField {
  readonly field_type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Records that a value names; the caller sees to it that they exist. */
export interface Named {
  media: string[]
  content: string[]
}

type Problem = string | undefined
type ValueCheck = (value: string, data: TypedField['data']) => Problem

const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const dateText = z.regexes.date
const dateTimeText = z.regexes.datetime({ offset: true })
/**
 * International addresses are taken, which zod's rule refuses; its loose rule would take what begins markup or
 * another address.
 */
const emailText =
  /^[^\s@"(),:;<>[\]\\]{1,64}@(?=.{1,253}$)[^\s@.,:;<>[\]\\()"]+(?:\.[^\s@.,:;<>[\]\\()"]+)*$/u

const entryLinks = /(\shref\s*=\s*["']?#(?:inline-|block-)?)([0-9A-Za-z]{26})(?![0-9A-Za-z])/gi

/** A value with the ids that it names as they are stored. */
export function withStoredIds({ field_type }: Pick<TypedField, 'field_type'>, value: string): string {
  if (field_type === 'media' || field_type === 'relation') return value.replaceAll(/[0-9A-Za-z]+/g, storedId)
  if (field_type !== 'richtext') return value
  return value.replaceAll(entryLinks, (_, start: string, id: string) => start + storedId(id))
}

/** The ids that a media or relation value names: one, or a JSON array of them where the field takes many. */
export function namedIds(value: string, data: TypedField['data']): string[] | undefined {
  if (data.cardinality !== 'many') return isUlid(value) ? [value] : undefined
  try {
    const list: unknown = JSON.parse(value)
    return Array.isArray(list) && list.every(isUlid) ? list : undefined
  } catch {
    return undefined
  }
}

/** Reads ids in either form, one or many: the setting of a field can change while values have the other form. */
export const anyIds = (value: string): string[] =>
  value === ''
    ? []
    : (namedIds(value, { cardinality: 'one' }) ?? namedIds(value, { cardinality: 'many' }) ?? [])

const anyText: ValueCheck = () => undefined
const ids: ValueCheck = (value, data) => {
  const problem = sizeProblem(value)
  if (problem) return problem
  if (namedIds(value, data)) return undefined
  return data.cardinality === 'many' ? 'must be a JSON array of ids' : 'must be an id'
}

const checks: Record<FieldType, ValueCheck> = {
  text: anyText,
  textarea: anyText,
  richtext: value => parseRichText(value).problem,
  number: value =>
    numberText.test(value) && Number.isFinite(Number(value)) ? undefined : 'must be a number',
  date: value => (dateText.test(value) ? undefined : 'must be a date such as 2026-01-31'),
  datetime: value => (dateTimeText.test(value) ? undefined : 'must be a time such as 2026-01-31T12:00:00Z'),
  boolean: value => (value === 'true' || value === 'false' ? undefined : 'must be true or false'),
  select: anyText,
  media: ids,
  relation: ids,
  json(value) {
    const problem = sizeProblem(value)
    if (problem) return problem
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
 * Returns why a text is not a value of the field's type; an empty one always is. This holds for drafts too, while the
 * rules of a field hold only for published values (`check-values.ts`).
 */
export const typeProblem = ({ field_type, data }: TypedField, value: string): Problem =>
  value === '' ? undefined : checks[field_type as FieldType](value, data)

/**
 * Checks that a value is of its field's type.
 * @returns the records that the value names
 * @throws 400 that names the field
 */
export function checkValue(field: TypedField & { readonly name: string }, value: string): Named {
  const named: Named = { media: [], content: [] }
  const problem = typeProblem(field, value)
  if (problem) throw invalid('field_value', `${field.name} ${problem}`)
  if (value === '') return named
  if (field.field_type === 'media') named.media = namedIds(value, field.data) ?? []
  if (field.field_type === 'relation') named.content = namedIds(value, field.data) ?? []
  return named
}
