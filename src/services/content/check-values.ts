import type { Pieces } from '../../turns.js'
import type { FieldRules } from './field-settings.js'
import { namedIds, typeProblem } from './field-values.js'
import { mismatch } from './patterns.js'

/**
 * The rules that values keep where the public sees them. Pure: what it takes to know is given. Drafts may break all of
 * them; `publication-check.ts` reads what is needed and refuses.
 */

/** A field with what its settings say (`rulesOf`). */
export interface RuledField {
  readonly field_id: string
  readonly parent_id: string
  readonly name: string
  readonly field_type: string
  readonly data: Readonly<Record<string, unknown>>
  readonly required: boolean
  readonly rules: FieldRules
}

export interface CheckedValue {
  readonly content_data_id: string
  readonly field_id: string
  readonly locale: string
  readonly field_value: string
}

export interface CheckedEntry {
  readonly content_data_id: string
  readonly values: readonly CheckedValue[]
}

interface MediaFacts {
  readonly mimetype: string
  readonly name: string
  readonly hasAlt: boolean
}

/** Known facts about other records. An unknown fact does not make a value invalid. */
export interface Facts {
  /** The locale whose value stands for the field as much as one without a locale. */
  readonly defaultLocale: string | undefined
  media(id: string): MediaFacts | undefined
  datatypeName(id: string): string | undefined
  /** Another entry that has the same value of a unique field in the same locale, where the public sees it. */
  holderOf(value: CheckedValue): string | undefined
}

type Rule = 'type' | 'required' | Exclude<keyof FieldRules, 'default' | 'cardinality'>
interface Broken {
  readonly rule: Rule
  readonly problem: string
}

/** A value that breaks a rule, as a refusal lists it. */
export interface FieldError {
  readonly error: string
  readonly member: string
  readonly rule: Rule
  readonly content_data_id: string
  readonly field_id: string
  readonly locale: string
}

function isLongerThan(text: string, most: number): boolean {
  if (text.length <= most || text.length > 2 * most) return text.length > most
  let characters = 0
  for (const _ of text) if (++characters > most) return true
  return false
}

type Check = (rules: FieldRules, value: string) => Broken | false | undefined
const broken = (rule: Rule, problem: string): Broken => ({ rule, problem })

const counted = (n: number, one: string) => `${n} ${one}${n === 1 ? '' : 's'}`

const lengthRules: Check = ({ minLength, maxLength }, value) =>
  minLength !== undefined && minLength > 0 && !isLongerThan(value, minLength - 1)
    ? broken('minLength', `must have at least ${counted(minLength, 'character')}`)
    : maxLength !== undefined &&
      isLongerThan(value, maxLength) &&
      broken('maxLength', `must have at most ${counted(maxLength, 'character')}`)

const patternRule: Check = ({ pattern }, value) => {
  const problem = pattern === undefined ? undefined : mismatch(pattern, value)
  return problem !== undefined && broken('pattern', problem)
}

/** @param orderOf where a value is on the line that both limits are on */
const rangeRules =
  (orderOf: (text: string | number) => number, words: [atLeast: string, atMost: string]): Check =>
  ({ min, max }, value) =>
    min !== undefined && orderOf(value) < orderOf(min)
      ? broken('min', `must be ${words[0]} ${min}`)
      : max !== undefined && orderOf(value) > orderOf(max) && broken('max', `must be ${words[1]} ${max}`)

const integerRule: Check = ({ integer }, value) =>
  integer === true && !Number.isInteger(Number(value)) && broken('integer', 'must be a whole number')

const optionsRule: Check = ({ options }, value) =>
  options !== undefined &&
  !options.includes(value) &&
  broken('options', `must be one of ${options.join(', ')}`)

const itemRules: Check = ({ minItems, maxItems }, value) => {
  const items = namedIds(value, { cardinality: 'many' })?.length
  if (items === undefined) return undefined
  if (minItems !== undefined && items < minItems)
    return broken('minItems', `must have at least ${counted(minItems, 'item')}`)
  return (
    maxItems !== undefined &&
    items > maxItems &&
    broken('maxItems', `must have at most ${counted(maxItems, 'item')}`)
  )
}

const text: Check[] = [lengthRules, patternRule]
const ofType: Readonly<Record<string, readonly Check[]>> = {
  text,
  textarea: text,
  slug: text,
  email: text,
  url: text,
  number: [rangeRules(Number, ['at least', 'at most']), integerRule],
  date: [rangeRules(at => Date.parse(String(at)), ['not before', 'not after'])],
  datetime: [rangeRules(at => Date.parse(String(at)), ['not before', 'not after'])],
  select: [optionsRule],
  media: [itemRules],
  relation: [itemRules],
}

/** The first rule that a value breaks by itself. The value is of the field's type and not empty. */
export function ruleProblem(rules: FieldRules, field_type: string, value: string): Broken | undefined {
  for (const check of ofType[field_type] ?? []) {
    const found = check(rules, value)
    if (found) return found
  }
  return undefined
}

const kindOf = (mediaType: string): string =>
  /^(?:image|video|audio)(?=\/)/.exec(mediaType)?.[0] ?? 'document'

function mediaProblem(
  { kinds, altRequired }: FieldRules,
  id: string,
  { mimetype, name, hasAlt }: MediaFacts,
): Broken | undefined {
  if (kinds && !kinds.some(kind => kind === mimetype || kind === kindOf(mimetype)))
    return broken('kinds', `must be ${kinds.join(' or ')}, but ${id} is ${mimetype}`)
  return altRequired && kindOf(mimetype) === 'image' && !hasAlt
    ? broken('altRequired', `needs an alt text, but the image "${name}" has none`)
    : undefined
}

function factProblem(field: RuledField, value: CheckedValue, facts: Facts): Broken | undefined {
  const { kinds, altRequired, target, unique } = field.rules
  const ids = kinds || altRequired || target ? (namedIds(value.field_value, field.data) ?? []) : []
  const targets = [target ?? []].flat()
  for (const id of ids) {
    const media = kinds || altRequired ? facts.media(id) : undefined
    const problem = media && mediaProblem(field.rules, id, media)
    if (problem) return problem
    const datatype = target && facts.datatypeName(id)
    if (datatype && !targets.includes(datatype))
      return broken(
        'target',
        `must refer to entries of ${targets.join(' or ')}, but ${id} belongs to ${datatype}`,
      )
  }
  const holder = unique ? facts.holderOf(value) : undefined
  return holder === undefined
    ? undefined
    : broken('unique', `must be unique, but entry ${holder} has the same value`)
}

/** Returns the rule that a value breaks, if any. An empty value breaks no rule: `required` is about a field. */
function valueProblem(field: RuledField, value: CheckedValue, facts: Facts): Broken | undefined {
  const { field_value } = value
  if (field_value === '') return undefined
  const problem = typeProblem(field, field_value)
  if (problem) return { rule: 'type', problem }
  return ruleProblem(field.rules, field.field_type, field_value) ?? factProblem(field, value, facts)
}

/** Whether the public could see a value that breaks something. */
export const hasRules = ({ required, rules }: RuledField): boolean => {
  const { default: _, cardinality: __, ...others } = rules
  return required || Object.keys(others).length > 0
}

/**
 * Every value of an entry that breaks a rule of its field, and every required field without a value, in the order of
 * the fields. A value in another locale than the default one is a translation: it may be missing. It may be interrupted
 * after each value, for a pattern takes its time.
 */
export function* entryErrors(
  { content_data_id, values }: CheckedEntry,
  fields: readonly RuledField[],
  facts: Facts,
): Pieces<FieldError[]> {
  const errors: FieldError[] = []
  const isBase = ({ locale }: CheckedValue) => locale === '' || locale === facts.defaultLocale
  for (const field of fields) {
    const { field_id, name } = field
    const own = values.filter(value => value.field_id === field_id)
    const add = (locale: string, { rule, problem }: Broken) => {
      const member = `fields.${name}`
      errors.push({ error: `${member}: ${problem}`, member, rule, content_data_id, field_id, locale })
    }
    if (field.required && !own.some(value => isBase(value) && value.field_value !== ''))
      add('', broken('required', 'is required'))
    for (const value of own) {
      const found = valueProblem(field, value, facts)
      if (found) add(value.locale, found)
      yield
    }
  }
  return errors
}
