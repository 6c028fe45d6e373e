import type { FieldType } from '../../../services/content/field-types.js'
import { typeProblem } from '../../../services/content/field-values.js'
import { hasHidden } from '../../../services/text.js'
import { memberText } from '../../imports.js'
import type { ContentfulControl, ContentfulField } from './export.js'

/** A label for editors: the name, if the given label is not possible. */
export function labelFor(given: string, name: string): string {
  const label = given.normalize('NFC').trim().slice(0, 255)
  return label === '' || hasHidden(label) ? name : label
}

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

/** Finds the type of a field that all of its values are of. */
export class TypeFinder {
  private readonly wanted: FieldType
  private hasText = false
  /** The types that all values so far are of. */
  private readonly fitting: Set<FieldType>

  constructor(
    private readonly field: ContentfulField,
    private readonly control: ContentfulControl | undefined,
  ) {
    this.wanted = meantAs(field, control)
    this.fitting = new Set(field.type === 'Date' ? ['date', 'datetime'] : [this.wanted])
  }

  /** @param raw a value of it, as the export has it */
  add(raw: unknown): void {
    const { type } = this.field
    if (!isText(raw) || (type !== 'Date' && type !== 'Symbol')) return
    this.hasText = true
    for (const one of this.fitting) {
      const text = type === 'Date' && one === 'datetime' ? timeOf(raw) : raw
      if (typeProblem({ field_type: one, data: {} }, text) !== undefined) this.fitting.delete(one)
    }
  }

  /** @param lose told what cannot be of the type that is meant */
  type(lose: (sentence: string) => void): FieldType {
    const linked = linkOf(this.field)
    if (linked) return linked === 'Entry' ? 'relation' : 'media'
    if (this.field.type === 'Date') return this.dateType()
    if (this.field.type !== 'Symbol') return plainTypes.get(this.field.type) ?? 'json'
    if (this.fitting.has(this.wanted)) return this.wanted
    lose(`Fields with values that do not fit the type ${this.wanted} become text fields`)
    return 'text'
  }

  private dateType(): FieldType {
    if (!this.hasText) return this.control?.settings?.format === 'dateonly' ? 'date' : 'datetime'
    const [first = 'text'] = this.fitting
    return first
  }
}
