import { titleNames } from '../../../services/delivery/formats/native.js'
import type { Notes } from '../../../services/import/notes.js'
import type {
  ImportedEntry,
  ImportedField,
  ImportedType,
  ImportedValue,
  ImportedValues,
} from '../../../services/import/site.js'
import { type Size, sizeOfJson } from '../../../services/import/size.js'
import type { UnreadRecords } from '../../../services/import/unread.js'
import { camelCase, hasHidden } from '../../../services/text.js'
import { byTime, takeName } from '../../imports.js'
import {
  type ContentfulControl,
  type ContentfulExport,
  type ContentfulField,
  type ContentfulRecord,
  type ContentfulType,
  isPublished,
} from './export.js'
import { fieldTypeOf } from './fields.js'
import { importedField, type RuleContext, type TakenValue } from './rules.js'
import { importedValue, type ValueContext } from './values.js'

interface EntryContext {
  readonly notes: Notes
  readonly unread: Pick<UnreadRecords, 'add'>
  readonly locales: readonly [string, ...string[]]
  readonly files: ValueContext['files']
}

type Values = Map<string, [field: string, value: ImportedValue][]>

const nameFor = (id: string, label: string): string =>
  /^[A-Za-z][A-Za-z0-9_]*$/.test(id) ? id : camelCase(/^[A-Za-z]/.test(id) ? id : label || id)

/** Names for front ends, by ids; of several records with one id, the first gives the name. */
function namesFor(records: readonly { readonly id: string; readonly label: string }[]): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set(records.map(({ id }) => id))
  for (const { id, label } of records) {
    if (names.has(id)) continue
    taken.delete(id)
    names.set(id, takeName(nameFor(id, label), taken))
  }
  return names
}

/** A label for editors: the name, if the given label is not possible. */
export function labelFor(given: string, name: string): string {
  const label = given.normalize('NFC').trim().slice(0, 255)
  return label === '' || hasHidden(label) ? name : label
}

function firstOf<T>(all: readonly T[], idOf: (one: T) => string): T[] {
  const seen = new Set<string>()
  return all.filter(one => !seen.has(idOf(one)) && seen.add(idOf(one)))
}

function timeIn(...given: (string | undefined)[]): string | undefined {
  const time = given.map(one => Date.parse(one ?? '')).find(one => !Number.isNaN(one))
  return time === undefined ? undefined : new Date(time).toISOString()
}

/** An entry that says nothing is older than all that do. */
const madeAt = ({ sys }: ContentfulRecord): string =>
  timeIn(sys.createdAt, sys.updatedAt) ?? '1970-01-01T00:00:00.000Z'

/** Records that are not archived, each once, in the order in which they were made. */
export function live(
  records: readonly ContentfulRecord[],
  kind: 'entries' | 'assets',
  notes: Notes,
): ContentfulRecord[] {
  const byId = new Map<string, ContentfulRecord>()
  for (const one of records) {
    const { id, archivedAt, archivedVersion } = one.sys
    if (archivedAt !== undefined || archivedVersion !== undefined)
      notes.add(`Archived ${kind} are left out`, id)
    else if (byId.has(id)) notes.add(`Of several ${kind} with the same id, only the first is imported`, id)
    else byId.set(id, one)
  }
  return [...byId.values()].sort(byTime(madeAt))
}

class EntryReader {
  private readonly types: readonly ContentfulType[]
  private readonly typeNames: ReadonlyMap<string, string>
  private readonly sources = new Map<string, { source: ContentfulRecord; type: ContentfulType; size: Size }>()
  private readonly values = new Map<string, Values>()
  private readonly rules: RuleContext
  private readonly targets: ValueContext

  constructor(
    private readonly content: ContentfulExport,
    private readonly context: EntryContext,
  ) {
    const { notes, files, locales } = context
    this.types = firstOf(content.contentTypes, ({ sys }) => sys.id)
    const typeNames = namesFor(this.types.map(({ sys, name }) => ({ id: sys.id, label: name })))
    for (const [id, name] of typeNames)
      if (name !== id) notes.add('Content types get a different name', `${id} is ${name}`)
    const defaultLocale = locales[0]
    this.typeNames = typeNames
    this.targets = { sources: this.sources, files, defaultLocale }
    this.rules = {
      ...{ notes, typeNames, defaultLocale },
      typeOfEntry: key => typeNames.get(this.sources.get(key)?.type.sys.id ?? ''),
      mediaTypeOfFile: key => files.get(key)?.mediaType,
    }
  }

  read(): { types: ImportedType[]; entries: ImportedEntry[] } {
    for (const source of live(this.content.entries, 'entries', this.context.notes)) this.gather(source)
    const types = this.types.map(type => this.type(type))
    const entries = [...this.sources.values()].map(one => this.entry(one))
    return { types, entries }
  }

  private gather(source: ContentfulRecord): void {
    const { notes } = this.context
    const { id, contentType, version, publishedVersion } = source.sys
    const type = this.types.find(({ sys }) => sys.id === contentType?.sys.id)
    if (!type) {
      this.context.unread.add(`entries: ${id}`, 'the export lacks its content type')
      return
    }
    this.sources.set(id, { source, type, size: sizeOfJson(Object.values(source.fields)) })
    if (version !== undefined && publishedVersion !== undefined && version > publishedVersion + 1)
      notes.add('Published entries include their unpublished changes', id)
    if ((source.metadata?.tags.length ?? 0) > 0) notes.add('Tags of entries are left out', id)
    if (Object.keys(source.fields).some(name => !type.fields.some(field => field.id === name)))
      notes.add('Values of fields that the content type does not have are left out', id)
  }

  private type(type: ContentfulType): ImportedType {
    const { id } = type.sys
    const name = this.typeNames.get(id) ?? id
    const controls = this.content.editorInterfaces.find(one => one.sys.contentType.sys.id === id)?.controls
    const sources = [...this.sources.values()].flatMap(one => (one.type === type ? [one.source] : []))
    const given = firstOf(type.fields, field => field.id)
    const names = namesFor(given.map(field => ({ id: field.id, label: field.name })))
    const fields = given.map(field => {
      const control = controls?.find(({ fieldId }) => fieldId === field.id)
      const own = names.get(field.id) ?? field.id
      if (own !== field.id)
        this.context.notes.add('Fields get a different name', `${name}.${field.id} is ${own}`)
      return this.field(field, own, control, sources, `${name}.${own}`)
    })
    this.noteDisplayField(type.displayField, name, names, fields)
    return { name, label: labelFor(type.name, name), hasPages: false, fields }
  }

  /** `content_types` names the field by which entries are called here. */
  private noteDisplayField(
    given: string | undefined,
    type: string,
    names: ReadonlyMap<string, string>,
    fields: readonly ImportedField[],
  ): void {
    const was = names.get(given ?? '')
    const texts = fields.filter(field => field.type === 'text').map(field => field.name)
    const is = titleNames.find(name => texts.includes(name)) ?? texts[0] ?? 'title'
    if (was !== undefined && was !== is)
      this.context.notes.add('Content types get a different displayField', `${type}.${was} is ${is}`)
  }

  /** A field, whose values are kept for their entries. @param place what notes call it */
  private field(
    field: ContentfulField,
    name: string,
    control: ContentfulControl | undefined,
    sources: readonly ContentfulRecord[],
    place: string,
  ): ImportedField {
    const { notes } = this.context
    if (control?.widgetId === 'markdown') notes.add('Markdown stays as text', place)
    if (control?.settings?.helpText) notes.add('Help texts of fields are left out', place)
    const given = sources.flatMap(source => this.given(source, field))
    const type = fieldTypeOf(
      field,
      given.map(({ raw }) => raw),
      control,
      sentence => notes.add(sentence, place),
    )
    const taken = given.flatMap((one): TakenValue[] => {
      const { source, raw, locale } = one
      // Of a large export texts are the most, and each is needed once.
      if (type === 'richtext') one.raw = source.fields[field.id] = {}
      const lose = (sentence: string) => notes.add(sentence, `${place} of ${source.sys.id}`)
      const value = importedValue(type, raw, locale, this.targets, lose)
      if (!value) return []
      this.keep(source.sys.id, locale, [name, value])
      return [{ value, locale, isPublished: isPublished(source) }]
    })
    const named = { name, label: labelFor(field.name, name), type }
    return importedField(field, named, taken, sources.filter(isPublished).length, this.rules, place)
  }

  /** The values of a field in the locales that it can have them in. */
  private given(
    source: ContentfulRecord,
    field: ContentfulField,
  ): { readonly source: ContentfulRecord; raw: unknown; readonly locale: string }[] {
    const { locales } = this.context
    const values = Object.hasOwn(source.fields, field.id) ? source.fields[field.id] : undefined
    const wanted = field.localized ? locales : locales.slice(0, 1)
    if (Object.keys(values ?? {}).some(locale => !wanted.includes(locale)))
      this.context.notes.add('Values in locales that their field does not have are left out', source.sys.id)
    return wanted.flatMap(locale => {
      const raw = values && Object.hasOwn(values, locale) ? values[locale] : undefined
      return raw === undefined || raw === null ? [] : [{ source, raw, locale }]
    })
  }

  private keep(key: string, locale: string, value: [field: string, value: ImportedValue]): void {
    const all: Values = this.values.get(key) ?? new Map()
    const own = all.get(locale) ?? []
    own.push(value)
    this.values.set(key, all.set(locale, own))
  }

  private entry({
    source,
    type,
    size,
  }: {
    source: ContentfulRecord
    type: ContentfulType
    size: Size
  }): ImportedEntry {
    const { id, publishedAt, firstPublishedAt } = source.sys
    const [defaultLocale, ...others] = this.context.locales
    const all = this.values.get(id)
    const valuesIn = (locale: string): ImportedValues => Object.fromEntries(all?.get(locale) ?? [])
    const translated = others.filter(locale => all?.has(locale)).map(locale => [locale, valuesIn(locale)])
    const isPublic = isPublished(source)
    const published = timeIn(publishedAt, firstPublishedAt, source.sys.updatedAt)
    // Published content changed last at its publication.
    const changed = isPublic ? timeIn(publishedAt, source.sys.updatedAt) : timeIn(source.sys.updatedAt)
    return {
      ...{ key: id, ids: [{ kind: 'Entry', id }] },
      type: this.typeNames.get(type.sys.id) ?? type.sys.id,
      isPublished: isPublic,
      createdAt: madeAt(source),
      ...(changed !== undefined && { changedAt: changed }),
      ...(isPublic && published !== undefined && { publishedAt: published }),
      source: { size },
      values: valuesIn(defaultLocale),
      ...(translated.length > 0 && { translations: Object.fromEntries(translated) }),
    }
  }
}

/** The types and entries of an export. */
export const importedEntries = (content: ContentfulExport, context: EntryContext) =>
  new EntryReader(content, context).read()
