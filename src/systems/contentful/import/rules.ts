import { isFieldData } from '../../../services/content/check-data.js'
import { ruleProblem } from '../../../services/content/check-values.js'
import { rulesOf } from '../../../services/content/field-data.js'
import type { FieldType } from '../../../services/content/field-types.js'
import type { Notes } from '../../../services/import/notes.js'
import type { ImportedField, ImportedValue } from '../../../services/import/site.js'
import { memberOf } from '../../imports.js'
import type { ContentfulField } from './export.js'
import { isSaidByType, isTextList, linkOf, patternOf, timeOf, validationsOf } from './fields.js'

/** A value as it is taken over. */
export interface TakenValue {
  readonly value: ImportedValue
  readonly locale: string
  readonly isPublished: boolean
}

/** The facts about the rest of the export that rules need. */
export interface RuleContext {
  readonly notes: Notes
  readonly defaultLocale: string
  readonly typeNames: ReadonlyMap<string, string>
  typeOfEntry(key: string): string | undefined
  mediaTypeOfFile(key: string): string | undefined
}

type Rule = readonly [name: string, value: unknown]
type Data = Readonly<Record<string, unknown>>

const listOf = (value: unknown): unknown[] => [value ?? []].flat()
const isText = (value: unknown): value is string => typeof value === 'string'

const groups: ReadonlyMap<unknown, string> = new Map([
  ['image', 'image'],
  ['video', 'video'],
  ['audio', 'audio'],
  ['pdfdocument', 'application/pdf'],
])

const limitsOf = (limits: unknown, min: string, max: string): Rule[] =>
  [[min, memberOf(limits, 'min')] as const, [max, memberOf(limits, 'max')] as const].filter(
    ([, limit]) => limit !== null && limit !== undefined,
  )

const texts: ReadonlySet<FieldType> = new Set(['text', 'textarea', 'slug', 'email', 'url'])

/** A rule of Contentful in the terms of this service; empty if it has no such rule. */
function settingsFor(
  [name, value]: Rule,
  field: ContentfulField,
  type: FieldType,
  context: RuleContext,
): Rule[] {
  switch (name) {
    case 'unique':
      return [['unique', true]]
    case 'size':
      if (linkOf(field)) return limitsOf(value, 'minItems', 'maxItems')
      return texts.has(type) ? limitsOf(value, 'minLength', 'maxLength') : []
    case 'range':
      return limitsOf(value, 'min', 'max')
    case 'dateRange':
      return limitsOf(value, 'min', 'max').map(([limit, date]) => [
        limit,
        type === 'datetime' && isText(date) ? timeOf(date) : date,
      ])
    case 'regexp':
      return texts.has(type) && !isSaidByType(field, type) ? [['pattern', patternOf(field)]] : []
    case 'in':
      return type === 'select' ? [['options', [...new Set(listOf(value).map(String))]]] : []
    case 'linkContentType': {
      const names = listOf(value).flatMap(id => (isText(id) ? (context.typeNames.get(id) ?? []) : []))
      return names.length > 0 ? [['target', names.length === 1 ? names[0] : [...new Set(names)]]] : []
    }
    case 'linkMimetypeGroup':
      return [['kinds', [...new Set(listOf(value).map(group => groups.get(group) ?? 'document'))]]]
    default:
      return []
  }
}

function breaksReference([name, rule]: Rule, value: ImportedValue, context: RuleContext): boolean {
  const keys = 'entries' in value ? value.entries : 'files' in value ? value.files : []
  if (name === 'target') return keys.some(key => !listOf(rule).includes(context.typeOfEntry(key)))
  if (name === 'minItems') return keys.length < Number(rule)
  if (name === 'maxItems') return keys.length > Number(rule)
  return keys.some(key => {
    const mediaType = context.mediaTypeOfFile(key) ?? ''
    const kind = /^(?:image|video|audio)(?=\/)/.exec(mediaType)?.[0] ?? 'document'
    return !listOf(rule).some(one => one === kind || one === mediaType)
  })
}

/** True if a published value breaks a rule, so that it could not be published again. */
function isBroken(rule: Rule, type: FieldType, taken: readonly TakenValue[], context: RuleContext): boolean {
  const [name, value] = rule
  const published = taken.filter(({ isPublished }) => isPublished)
  if (type === 'relation' || type === 'media')
    return published.some(one => breaksReference(rule, one.value, context))
  const written = published.flatMap(({ value: one, locale }) =>
    'value' in one ? [{ text: String(one.value), locale }] : [],
  )
  if (name === 'unique')
    return new Set(written.map(one => JSON.stringify([one.locale, one.text]))).size < written.length
  const rules = rulesOf({ field_type: type, data: { [name]: value } })
  return written.some(({ text }) => text !== '' && ruleProblem(rules, type, text) !== undefined)
}

function defaultOf(field: ContentfulField, type: FieldType, { defaultLocale }: RuleContext): Rule[] {
  const value = memberOf(field.defaultValue, defaultLocale)
  // Such a default marks the list as a list of texts.
  if (isTextList(field)) return [['default', listOf(value).filter(isText)]]
  if (value === undefined || value === null) return []
  return [['default', type === 'datetime' && isText(value) ? timeOf(value) : value]]
}

const limitsOfRichText: ReadonlySet<string> = new Set(['enabledMarks', 'enabledNodeTypes', 'nodes'])
const notes = {
  unknown: 'Unsupported rules are left out',
  richText: 'Limits on the elements of rich text are left out',
  broken: 'Rules that published entries break are left out',
}

/** The settings of a field: the rules that exist here too and that all published values keep. */
function dataOf(
  field: ContentfulField,
  type: FieldType,
  taken: readonly TakenValue[],
  context: RuleContext,
  place: string,
): Data {
  let data: Data = linkOf(field) && field.type === 'Array' ? { cardinality: 'many' } : {}
  const own: Rule[] = field.type === 'Integer' ? [['integer', true]] : []
  const given = validationsOf(field)
  if (given.some(([name]) => limitsOfRichText.has(name))) context.notes.add(notes.richText, place)
  const rules = given.flatMap(rule => {
    const settings = settingsFor(rule, field, type, context)
    const [name] = rule
    if (limitsOfRichText.has(name)) return []
    if (settings.length === 0 && !isSaidByType(field, type))
      context.notes.add(notes.unknown, `${place}: ${name}`)
    return settings
  })
  for (const rule of [...own, ...rules, ...defaultOf(field, type, context)]) {
    const [name, value] = rule
    const next = { ...data, [name]: value }
    if (!isFieldData(type, next)) context.notes.add(notes.unknown, `${place}: ${name}`)
    else if (name !== 'default' && isBroken(rule, type, taken, context))
      context.notes.add(notes.broken, `${place}: ${name}`)
    else data = next
  }
  return data
}

const isFilled = ({ value }: TakenValue): boolean => {
  if ('entries' in value) return value.entries.length > 0
  if ('files' in value) return value.files.length > 0
  return ('html' in value ? value.html : value.value) !== ''
}

/**
 * A field, with the rules that it can have.
 * @param taken its values in all entries
 * @param published how many entries of its type are published
 * @param place what notes call it
 */
export function importedField(
  field: ContentfulField,
  named: Pick<ImportedField, 'name' | 'label' | 'type'>,
  taken: readonly TakenValue[],
  published: number,
  context: RuleContext,
  place: string,
): ImportedField {
  const { notes: lost, defaultLocale } = context
  const filled = taken.filter(one => one.isPublished && one.locale === defaultLocale && isFilled(one))
  const required = field.required && filled.length === published
  if (field.required && !required) lost.add(notes.broken, `${place}: required`)
  const data = dataOf(field, named.type, taken, context, place)
  return { ...named, data, required, translatable: field.localized }
}
