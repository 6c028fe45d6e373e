import type { FieldType } from '../../../services/content/field-types.js'
import { typeProblem } from '../../../services/content/field-values.js'
import { memberText } from '../../imports.js'
import type { ContentfulControl, ContentfulField } from './export.js'

const isText = (value: unknown): value is string => typeof value === 'string'

/** The rules of a field, and those of what it holds many of: their names with what they say. */
export const validationsOf = ({ validations, items }: ContentfulField): [name: string, value: unknown][] =>
  [...validations, ...(items?.validations ?? [])].flatMap(one =>
    Object.entries(one).filter(
      ([name, value]) => name !== 'message' && value !== null && value !== undefined && value !== false,
    ),
  )

const ruleNamed = (field: ContentfulField, wanted: string): unknown =>
  validationsOf(field).find(([name]) => name === wanted)?.[1]

/** The pattern of a field as RE2 writes it; `''` without one. */
export function patternOf(field: ContentfulField): string {
  const rule = ruleNamed(field, 'regexp')
  const pattern = memberText(rule, 'pattern') ?? ''
  const flags = memberText(rule, 'flags') ?? ''
  const known = pattern && ['i', 'm', 's'].filter(flag => flags.includes(flag)).join('')
  return known ? `(?${known})${pattern}` : pattern
}

/** Parts of the patterns that Contentful suggests for addresses; here the type of the field covers them. */
const suggested = {
  url: ['(ftp|http|https)', 'www\\d{0,3}'],
  email: ['\\w[\\w.-]*@([\\w-]+', '[A-Z0-9._%+-]+@'],
}
const has = (pattern: string, parts: readonly string[]): boolean => parts.some(part => pattern.includes(part))

/** True if the type of the field covers its pattern. */
export const isSaidByType = (field: ContentfulField, type: FieldType): boolean =>
  (type === 'url' || type === 'email') && has(patternOf(field), suggested[type])

function meantAs(field: ContentfulField, control: ContentfulControl | undefined): FieldType {
  const pattern = patternOf(field)
  if (control?.widgetId === 'slugEditor') return 'slug'
  if (control?.widgetId === 'urlEditor' || has(pattern, suggested.url)) return 'url'
  if (has(pattern, suggested.email)) return 'email'
  return ruleNamed(field, 'in') === undefined ? 'text' : 'select'
}

const time = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/

/** True if a date has a time and a zone. */
export const isZoned = (date: string): boolean => time.exec(date)?.[4] !== undefined

/** A date as a time with seconds and a zone, UTC if it has no zone. Any other text stays as it is. */
export function timeOf(date: string): string {
  const [, day, minute = '00:00', second = ':00', zone = 'Z'] = time.exec(date) ?? []
  return day === undefined ? date : `${day}T${minute}${second}${zone.replace(/(\d\d)(\d\d)$/, '$1:$2')}`
}

function dateType(given: readonly unknown[], control: ContentfulControl | undefined): FieldType {
  const texts = given.filter(isText)
  if (texts.length === 0) return control?.settings?.format === 'dateonly' ? 'date' : 'datetime'
  const areAll = (type: FieldType, read: (text: string) => string) =>
    texts.every(text => typeProblem({ field_type: type, data: {} }, read(text)) === undefined)
  if (areAll('date', text => text)) return 'date'
  return areAll('datetime', timeOf) ? 'datetime' : 'text'
}

/** The type that a field links to, itself or by the items of its list. */
export function linkOf({ type, linkType, items }: ContentfulField): 'Entry' | 'Asset' | undefined {
  const linked = type === 'Array' && items?.type === 'Link' ? items.linkType : linkType
  return (type === 'Link' || type === 'Array') && (linked === 'Entry' || linked === 'Asset')
    ? linked
    : undefined
}

export const isTextList = ({ type, items }: ContentfulField): boolean =>
  type === 'Array' && items?.type === 'Symbol'

const plainTypes: ReadonlyMap<string, FieldType> = new Map([
  ['Text', 'textarea'],
  ['RichText', 'richtext'],
  ['Integer', 'number'],
  ['Number', 'number'],
  ['Boolean', 'boolean'],
])

/**
 * The type of a field that all of its values are of.
 * @param given all of them, as the export has them
 * @param lose told what cannot be of the type that is meant
 */
export function fieldTypeOf(
  field: ContentfulField,
  given: readonly unknown[],
  control: ContentfulControl | undefined,
  lose: (sentence: string) => void,
): FieldType {
  const linked = linkOf(field)
  if (linked) return linked === 'Entry' ? 'relation' : 'media'
  if (field.type === 'Date') return dateType(given, control)
  if (field.type !== 'Symbol') return plainTypes.get(field.type) ?? 'json'
  const wanted = meantAs(field, control)
  const fits = (raw: unknown) => !isText(raw) || !typeProblem({ field_type: wanted, data: {} }, raw)
  if (given.every(fits)) return wanted
  lose(`Fields with values that do not fit the type ${wanted} become text fields`)
  return 'text'
}
