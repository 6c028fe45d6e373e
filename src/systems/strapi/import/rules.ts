import { isFieldData } from '../../../services/content/check-data.js'
import { ruleProblem } from '../../../services/content/check-values.js'
import { rulesOf } from '../../../services/content/field-data.js'
import type { FieldType } from '../../../services/content/field-types.js'
import { typeProblem } from '../../../services/content/field-values.js'
import type { Notes } from '../../../services/import/notes.js'
import type {
  ImportedEntry,
  ImportedField,
  ImportedType,
  ImportedValue,
} from '../../../services/import/site.js'
import { memberOf } from '../../imports.js'
import type { Attribute } from './export.js'
import type { PlannedField, PlannedType } from './model.js'

type Data = Readonly<Record<string, unknown>>
interface Written {
  readonly value: ImportedValue
  readonly locale: string
  readonly isPublished: boolean
}

const broken = 'Rules that published entries break are left out'
const unknown = 'Unsupported rules are left out'
const texts: ReadonlySet<FieldType> = new Set(['text', 'textarea', 'slug', 'email'])

function* allOf(entries: Iterable<ImportedEntry>): Generator<ImportedEntry> {
  for (const entry of entries) {
    yield entry
    yield* allOf(entry.children ?? [])
  }
}

const plainText = (value: ImportedValue): string | undefined => {
  if (!('value' in value)) return undefined
  const { value: plain } = value
  return typeof plain === 'object' ? JSON.stringify(plain) : String(plain)
}

const isNumeric = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')

function settingsOf(attribute: Attribute, type: FieldType): [string, unknown][] {
  const given = (name: string) => memberOf(attribute, name)
  const found: [string, unknown][] = []
  if (texts.has(type)) {
    for (const name of ['minLength', 'maxLength'])
      if (typeof given(name) === 'number') found.push([name, given(name)])
    if (typeof given('regex') === 'string') found.push(['pattern', given('regex')])
  }
  if (type === 'number') {
    if (/integer$/.test(attribute.type)) found.push(['integer', true])
    for (const name of ['min', 'max']) if (isNumeric(given(name))) found.push([name, Number(given(name))])
  }
  if (attribute.unique || attribute.type === 'uid') found.push(['unique', true])
  const standard = given('default')
  if (!attribute.unique && ['string', 'number', 'boolean'].includes(typeof standard) && standard !== '')
    found.push(['default', standard])
  return found
}

function limitsOf(attribute: Attribute): [string, unknown][] {
  return ['min', 'max'].flatMap(name => {
    const limit = memberOf(attribute, name)
    return typeof limit === 'number' ? [[`${name}Items`, limit] as [string, unknown]] : []
  })
}

/** Whether published values keep a setting. */
class Judge {
  isBroken = false
  private readonly seen = new Set<string>()
  private readonly rules: ReturnType<typeof rulesOf>

  constructor(
    readonly setting: readonly [name: string, value: unknown],
    private readonly type: FieldType,
  ) {
    const [name, value] = setting
    this.rules = rulesOf({ field_type: type, data: { [name]: value } })
  }

  add({ value, locale, isPublished }: Written): void {
    const [name, limit] = this.setting
    if (this.isBroken || !isPublished || name === 'default') return
    if (name.endsWith('Items')) {
      const count = 'entries' in value ? value.entries.length : undefined
      if (count !== undefined)
        this.isBroken = name === 'minItems' ? count < Number(limit) : count > Number(limit)
      return
    }
    const text = plainText(value)
    if (!text) return
    const key = `${locale} ${text}`
    this.isBroken =
      name === 'unique' ? this.seen.has(key) : ruleProblem(this.rules, this.type, text) !== undefined
    if (name === 'unique') this.seen.add(key)
  }
}

const mostOptions = 1000

const kindOf = (mime: string | undefined): string =>
  /^(?:image|video|audio)(?=\/)/.exec(mime ?? '')?.[0] ?? 'document'

/** Gathers the facts about the values of a field: all are looked at, and then judged by the rules of its type. */
class FieldFacts {
  private isWrong = false
  private areOfKinds = true
  private filled = 0
  private readonly used = new Set<string>()
  private judges: readonly Judge[] | undefined

  constructor(
    private readonly field: PlannedField,
    private readonly mimes: ReadonlyMap<string, string>,
  ) {}

  look({ value, locale, isPublished }: Written): void {
    const { type, data } = this.field
    const text = plainText(value)
    if (locale === '' && isPublished && text !== '') this.filled++
    if (text !== undefined && type !== 'json' && !this.isWrong)
      this.isWrong = typeProblem({ field_type: type, data: {} }, text) !== undefined
    if (text && type === 'select' && this.used.size <= mostOptions) this.used.add(text)
    if ('files' in value && Array.isArray(data.kinds)) {
      const { kinds } = data
      this.areOfKinds &&= value.files.every(key => kinds.includes(kindOf(this.mimes.get(key))))
    }
  }

  judge(written: Written): void {
    for (const judge of this.judged()) judge.add(written)
  }

  private get type(): FieldType {
    return this.isWrong ? 'textarea' : this.field.type
  }

  private judged(): readonly Judge[] {
    const { attribute, taking } = this.field
    const settings = taking === 'plain' ? settingsOf(attribute, this.type) : limitsOf(attribute)
    this.judges ??= settings.map(setting => new Judge(setting, this.type))
    return this.judges
  }

  private options(): { options?: string[] } {
    const given = [...(this.field.attribute.enum ?? []), ...this.used]
    const options = [...new Set(given)].filter(option => option !== '')
    return options.length > 0 && options.length <= mostOptions ? { options } : {}
  }

  private ownData(): Data {
    const { kinds, ...others } = this.field.data
    if (this.type === 'select') return this.options()
    return this.areOfKinds ? this.field.data : others
  }

  /** The field, with the rules that its published values keep. @param published the published entries of its type */
  imported(typeName: string, published: number, notes: Notes): ImportedField {
    const { name, label, attribute, translatable, attributeName } = this.field
    const place = `${typeName}.${attributeName}`
    if (this.isWrong) notes.add('Fields with values that do not fit their type become text fields', place)
    let data = this.ownData()
    for (const { setting, isBroken } of this.judged()) {
      const next = { ...data, [setting[0]]: setting[1] }
      if (!isFieldData(this.type, next)) notes.add(unknown, `${place}: ${setting[0]}`)
      else if (isBroken) notes.add(broken, `${place}: ${setting[0]}`)
      else data = next
    }
    const isKept = this.filled === published
    if (attribute.required && !isKept) notes.add(broken, `${place}: required`)
    const required = attribute.required === true && isKept
    return {
      name,
      label,
      type: this.type,
      ...(Object.keys(data).length > 0 ? { data } : {}),
      ...(required ? { required } : {}),
      ...(translatable ? { translatable } : {}),
    }
  }
}

/** The facts about the entries of a type. */
class TypeFacts {
  private published = 0
  private readonly fields: readonly { readonly name: string; readonly facts: FieldFacts }[]

  constructor(
    private readonly type: PlannedType,
    mimes: ReadonlyMap<string, string>,
  ) {
    this.fields = type.fields
      .filter(({ taking }) => taking !== 'children')
      .map(field => ({ name: field.name, facts: new FieldFacts(field, mimes) }))
  }

  look(entry: ImportedEntry): void {
    if (entry.isPublished) this.published++
    this.each(entry, (facts, written) => facts.look(written))
  }

  judge(entry: ImportedEntry): void {
    this.each(entry, (facts, written) => facts.judge(written))
  }

  private each(
    { values, translations, isPublished }: ImportedEntry,
    take: (facts: FieldFacts, written: Written) => void,
  ): void {
    const all = [['', values] as const, ...Object.entries(translations ?? {})]
    for (const { name, facts } of this.fields)
      for (const [locale, own] of all) {
        const value = Object.hasOwn(own, name) ? own[name] : undefined
        if (value) take(facts, { value, locale, isPublished })
      }
  }

  imported(notes: Notes): ImportedType {
    const { name, label, compat, fields } = this.type
    for (const { taking, attribute, attributeName } of fields)
      if (taking === 'children' && (attribute.required || limitsOf(attribute).length > 0))
        notes.add(unknown, `${name}.${attributeName}`)
    return {
      ...{ name, label, hasPages: false },
      fields: this.fields.map(({ facts }) => facts.imported(name, this.published, notes)),
      ...(compat ? { compat } : {}),
    }
  }
}

/**
 * Types with the rules that their published entries keep, in the order of the given ones.
 * @param mimes the types of files, by their keys
 */
export function importedTypes(
  types: readonly PlannedType[],
  entries: Iterable<ImportedEntry>,
  mimes: ReadonlyMap<string, string>,
  notes: Notes,
): ImportedType[] {
  const facts = new Map(types.map(type => [type.name, new TypeFacts(type, mimes)]))
  for (const entry of allOf(entries)) facts.get(entry.type)?.look(entry)
  for (const entry of allOf(entries)) facts.get(entry.type)?.judge(entry)
  return types.flatMap(({ name }) => facts.get(name)?.imported(notes) ?? [])
}
