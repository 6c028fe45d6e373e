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

const fits = (type: FieldType, value: string): boolean =>
  typeProblem({ field_type: type, data: {} }, value) === undefined

/** Finds the type of a field of texts, of which it keeps none. */
export class TextFacts {
  private count = 0
  private isDate = true
  private isTime = true
  private isUtc = true
  private isEmail = true
  private isUrl = true
  private isLong = false
  private readonly zones = new Set<string>()

  /** @param value a text that is not empty */
  add(value: string): void {
    this.count++
    this.isDate &&= fits('date', value)
    this.isTime &&= fits('datetime', value)
    if (this.isTime) this.zones.add(/(?:Z|[+-][\d:]+)$/i.exec(value)?.[0] ?? '')
    this.isUtc &&= timeOf(value) === value
    this.isEmail &&= fits('email', value)
    this.isUrl &&= /^(?:https?|mailto|tel):/i.test(value) && fits('url', value)
    this.isLong ||= value.length > longText || /[\r\n]/.test(value)
  }

  /** Whether times name several zones, so that their texts have another order than the times. */
  get hasSeveralZones(): boolean {
    return this.isTime && this.zones.size > 1
  }

  /** @param lose gets what the type changes about the values */
  typeFor(field: string, lose: (sentence: string) => void): FieldType {
    if (this.count === 0) return 'text'
    if (this.isDate) return 'date'
    if (this.isTime) {
      if (!this.isUtc) lose('Times are returned in UTC with milliseconds')
      return 'datetime'
    }
    if (this.isEmail && this.isMeant(/e-?mail/i, field)) return 'email'
    if (this.isUrl && this.isMeant(/url|link|href|website/i, field)) return 'url'
    return this.isLong ? 'textarea' : 'text'
  }

  /** True if the name of the field or the number of values shows that it is no coincidence that all fit. */
  private isMeant(name: RegExp, field: string): boolean {
    return this.count >= manyValues || name.test(field)
  }
}

/** The type of a field of texts. @param values those that are not empty */
export function textType(
  field: string,
  values: readonly string[],
  lose: (sentence: string) => void,
): FieldType {
  const facts = new TextFacts()
  for (const value of values) facts.add(value)
  return facts.typeFor(field, lose)
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
