import type { FieldType } from '../../../services/content/field-types.js'
import { Notes } from '../../../services/import/notes.js'
import type { ImportedField, ImportedValue } from '../../../services/import/site.js'
import { type ContentfulControl, type ContentfulField, type ContentfulRecord, isPublished } from './export.js'
import { labelFor, TypeFinder } from './fields.js'
import { KeptRules, type RuleContext } from './rules.js'
import { importedValue, type ValueContext } from './values.js'

/** The parts of the rest of the export that a field depends on. */
export interface FieldContext {
  readonly rules: Omit<RuleContext, 'notes'>
  readonly targets: ValueContext
  readonly locales: readonly [string, ...string[]]
  readonly control: ContentfulControl | undefined
  /** The name of the field in notes. */
  readonly place: string
}

/**
 * Reads the values of one field. All of them are looked at first, because together they say what type the field has;
 * then they are taken over; then its rules are known.
 */
export class FieldReader {
  /** Losses of this field alone. The report lists losses field by field. */
  readonly notes = new Notes()
  private readonly finder: TypeFinder
  private known: { readonly type: FieldType; readonly rules: KeptRules } | undefined

  constructor(
    private readonly field: ContentfulField,
    readonly name: string,
    private readonly context: FieldContext,
  ) {
    const { control, place } = context
    if (control?.widgetId === 'markdown') this.notes.add('Markdown stays as text', place)
    if (control?.settings?.helpText) this.notes.add('Help texts of fields are left out', place)
    this.finder = new TypeFinder(field, control)
  }

  look(source: ContentfulRecord): void {
    const { locales } = this.context
    const values = this.valuesOf(source)
    const wanted = this.field.localized ? locales : locales.slice(0, 1)
    if (Object.keys(values ?? {}).some(locale => !wanted.includes(locale)))
      this.notes.add('Values in locales that their field does not have are left out', source.sys.id)
    for (const { raw } of this.given(source)) this.finder.add(raw)
  }

  /** The values of an entry by their locales, after all entries were looked at. */
  take(source: ContentfulRecord): { readonly locale: string; readonly value: ImportedValue }[] {
    const { targets, place } = this.context
    const { type, rules } = this.decided()
    const lose = (sentence: string) => this.notes.add(sentence, `${place} of ${source.sys.id}`)
    return this.given(source).flatMap(({ raw, locale }) => {
      const value = importedValue(type, raw, locale, targets, lose)
      if (!value) return []
      rules.add({ value, locale, isPublished: isPublished(source) })
      return [{ locale, value }]
    })
  }

  /** The field, after all values were taken. @param published how many entries of its type are published */
  imported(published: number): ImportedField {
    const label = labelFor(this.field.name, this.name)
    return this.decided().rules.importedField({ name: this.name, label }, published, this.context.place)
  }

  private decided(): { readonly type: FieldType; readonly rules: KeptRules } {
    this.known ??= this.found()
    return this.known
  }

  private found() {
    const { rules, place } = this.context
    const type = this.finder.type(sentence => this.notes.add(sentence, place))
    return { type, rules: new KeptRules(this.field, type, { ...rules, notes: this.notes }) }
  }

  private valuesOf({ fields }: ContentfulRecord): ContentfulRecord['fields'][string] | undefined {
    return Object.hasOwn(fields, this.field.id) ? fields[this.field.id] : undefined
  }

  /** The values in the locales that the field can have them in. */
  private given(source: ContentfulRecord): { readonly raw: unknown; readonly locale: string }[] {
    const { locales } = this.context
    const values = this.valuesOf(source)
    return (this.field.localized ? locales : locales.slice(0, 1)).flatMap(locale => {
      const raw = values && Object.hasOwn(values, locale) ? values[locale] : undefined
      return raw === undefined || raw === null ? [] : [{ raw, locale }]
    })
  }
}
