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
import type { Attribute, Entity } from './export.js'
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

function* allOf(entries: readonly ImportedEntry[]): Generator<ImportedEntry> {
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

function isBroken(
  type: FieldType,
  [name, value]: readonly [string, unknown],
  written: readonly Written[],
): boolean {
  if (name === 'default') return false
  if (name.endsWith('Items')) {
    const counts = written.flatMap(({ value, isPublished }) =>
      isPublished && 'entries' in value ? value.entries.length : [],
    )
    return counts.some(count => (name === 'minItems' ? count < Number(value) : count > Number(value)))
  }
  const published = written.flatMap(one => {
    const text = one.isPublished ? plainText(one.value) : undefined
    return text ? [{ text, locale: one.locale }] : []
  })
  if (name === 'unique')
    return new Set(published.map(({ text, locale }) => `${locale} ${text}`)).size < published.length
  const rules = rulesOf({ field_type: type, data: { [name]: value } })
  return published.some(({ text }) => ruleProblem(rules, type, text) !== undefined)
}

/** The type of a field: text where a value is not of the type that it should have. */
function typeOf({ type }: PlannedField, written: readonly Written[], place: string, notes: Notes): FieldType {
  const isWrong = ({ value }: Written) => {
    const text = plainText(value)
    return text !== undefined && typeProblem({ field_type: type, data: {} }, text) !== undefined
  }
  if (type === 'json' || !written.some(isWrong)) return type
  notes.add(`Fields with values that do not fit their type become text fields`, place)
  return 'textarea'
}

function optionsOf({ enum: given }: Attribute, written: readonly Written[]): { options?: string[] } {
  const used = written.flatMap(({ value }) => plainText(value) || [])
  const options = [...new Set([...(given ?? []), ...used])].filter(option => option !== '')
  return options.length > 0 && options.length <= 1000 ? { options } : {}
}

function keptKinds(data: Data, written: readonly Written[], mimes: ReadonlyMap<string, string>): Data {
  const { kinds, ...others } = data
  if (!Array.isArray(kinds)) return data
  const kindOf = (key: string) => /^(?:image|video|audio)(?=\/)/.exec(mimes.get(key) ?? '')?.[0] ?? 'document'
  const files = written.flatMap(({ value }) => ('files' in value ? value.files : []))
  return files.every(key => kinds.includes(kindOf(key))) ? data : others
}

interface Context {
  readonly type: PlannedType
  readonly entries: readonly ImportedEntry[]
  readonly mimes: ReadonlyMap<string, string>
  readonly notes: Notes
}

function importedField(field: PlannedField, { type, entries, mimes, notes }: Context): ImportedField {
  const { name, label, attribute, translatable } = field
  const place = `${type.name}.${field.attributeName}`
  const written = entries.flatMap(({ values, translations, isPublished }) =>
    [['', values] as const, ...Object.entries(translations ?? {})].flatMap(([locale, own]) => {
      const value = Object.hasOwn(own, name) ? own[name] : undefined
      return value ? [{ value, locale, isPublished }] : []
    }),
  )
  const own = typeOf(field, written, place, notes)
  let data: Data = own === 'select' ? optionsOf(attribute, written) : keptKinds(field.data, written, mimes)
  for (const setting of field.taking === 'plain' ? settingsOf(attribute, own) : limitsOf(attribute)) {
    const next = { ...data, [setting[0]]: setting[1] }
    if (!isFieldData(own, next)) notes.add(unknown, `${place}: ${setting[0]}`)
    else if (isBroken(own, setting, written)) notes.add(broken, `${place}: ${setting[0]}`)
    else data = next
  }
  const filled = written.filter(
    ({ value, locale, isPublished }) => locale === '' && isPublished && plainText(value) !== '',
  )
  const isKept = filled.length === entries.filter(({ isPublished }) => isPublished).length
  if (attribute.required && !isKept) notes.add(broken, `${place}: required`)
  const required = attribute.required === true && isKept
  return {
    name,
    label,
    type: own,
    ...(Object.keys(data).length > 0 ? { data } : {}),
    ...(required ? { required } : {}),
    ...(translatable ? { translatable } : {}),
  }
}

/** A type with the rules that its published entries keep. @param files rows of all files */
export function importedType(
  type: PlannedType,
  entries: readonly ImportedEntry[],
  files: readonly Entity[],
  notes: Notes,
): ImportedType {
  const own = [...allOf(entries)].filter(entry => entry.type === type.name)
  const mimes = new Map(files.map(({ id, data }) => [id, String(memberOf(data, 'mime'))]))
  const fields = type.fields.filter(({ taking }) => taking !== 'children')
  for (const { taking, attribute, attributeName } of type.fields)
    if (taking === 'children' && (attribute.required || limitsOf(attribute).length > 0))
      notes.add(unknown, `${type.name}.${attributeName}`)
  return {
    name: type.name,
    label: type.label,
    hasPages: false,
    fields: fields.map(field => importedField(field, { type, entries: own, mimes, notes })),
    ...(type.compat ? { compat: type.compat } : {}),
  }
}
