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

/** Whether published values keep a rule, so that they could be published again. */
class Judge {
  isBroken = false
  private readonly seen = new Set<string>()
  private readonly rules: ReturnType<typeof rulesOf>

  constructor(
    readonly rule: Rule,
    private readonly type: FieldType,
    private readonly context: RuleContext,
  ) {
    const [name, value] = rule
    this.rules = rulesOf({ field_type: type, data: { [name]: value } })
  }

  add(taken: TakenValue): void {
    const [name] = this.rule
    if (name !== 'default' && !this.isBroken) this.isBroken = this.isBrokenBy(taken)
  }

  private isBrokenBy({ value, locale }: TakenValue): boolean {
    const { type, seen } = this
    if (type === 'relation' || type === 'media') return breaksReference(this.rule, value, this.context)
    if (!('value' in value)) return false
    const text = String(value.value)
    if (this.rule[0] !== 'unique') return text !== '' && ruleProblem(this.rules, type, text) !== undefined
    const key = JSON.stringify([locale, text])
    const isKnown = seen.has(key)
    seen.add(key)
    return isKnown
  }
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

const isFilled = ({ value }: TakenValue): boolean => {
  if ('entries' in value) return value.entries.length > 0
  if ('files' in value) return value.files.length > 0
  return ('html' in value ? value.html : value.value) !== ''
}

/** Finds the rules of a field that exist here too and that all published values keep. */
export class KeptRules {
  private filled = 0
  private readonly judges: readonly Judge[]

  constructor(
    private readonly field: ContentfulField,
    private readonly type: FieldType,
    private readonly context: RuleContext,
  ) {
    const own: Rule[] = field.type === 'Integer' ? [['integer', true]] : []
    const given = validationsOf(field).filter(([name]) => !limitsOfRichText.has(name))
    const rules = given.flatMap(rule => settingsFor(rule, field, type, context))
    this.judges = [...own, ...rules, ...defaultOf(field, type, context)].map(
      rule => new Judge(rule, type, context),
    )
  }

  /** @param taken a value of the field in any entry */
  add(taken: TakenValue): void {
    if (!taken.isPublished) return
    if (taken.locale === this.context.defaultLocale && isFilled(taken)) this.filled++
    for (const judge of this.judges) judge.add(taken)
  }

  /**
   * The field, when all of its values were added.
   * @param published how many entries of its type are published
   * @param place what notes call it
   */
  importedField(
    named: Pick<ImportedField, 'name' | 'label'>,
    published: number,
    place: string,
  ): ImportedField {
    const { field, type, context } = this
    const required = field.required && this.filled === published
    if (field.required && !required) context.notes.add(notes.broken, `${place}: required`)
    return { ...named, type, data: this.dataOf(place), required, translatable: field.localized }
  }

  private dataOf(place: string): Data {
    const { field, type, context } = this
    this.noteUnknown(place)
    let data: Data = linkOf(field) && field.type === 'Array' ? { cardinality: 'many' } : {}
    for (const { rule, isBroken } of this.judges) {
      const [name, value] = rule
      const next = { ...data, [name]: value }
      if (!isFieldData(type, next)) context.notes.add(notes.unknown, `${place}: ${name}`)
      else if (isBroken) context.notes.add(notes.broken, `${place}: ${name}`)
      else data = next
    }
    return data
  }

  private noteUnknown(place: string): void {
    const { field, type, context } = this
    const given = validationsOf(field)
    if (given.some(([name]) => limitsOfRichText.has(name))) context.notes.add(notes.richText, place)
    for (const rule of given) {
      const [name] = rule
      const isUnknown = !limitsOfRichText.has(name) && settingsFor(rule, field, type, context).length === 0
      if (isUnknown && !isSaidByType(field, type)) context.notes.add(notes.unknown, `${place}: ${name}`)
    }
  }
}
