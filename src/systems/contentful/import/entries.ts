import { datatypeName, keyName } from '../../../services/body-parts.js'
import { titleNames } from '../../../services/delivery/formats/native.js'
import type { Notes } from '../../../services/import/notes.js'
import { type Lists, type Records, recordAt, recordsOf } from '../../../services/import/records.js'
import type {
  ImportedEntry,
  ImportedField,
  ImportedType,
  ImportedValue,
  ImportedValues,
} from '../../../services/import/site.js'
import { sizeOfJson } from '../../../services/import/size.js'
import type { UnreadRecords } from '../../../services/import/unread.js'
import { camelCase } from '../../../services/text.js'
import { byTime, compatName, takeName } from '../../imports.js'
import { type ContentfulExport, type ContentfulRecord, type ContentfulType, isPublished } from './export.js'
import { FieldReader } from './field-reader.js'
import { labelFor } from './fields.js'
import type { ValueContext } from './values.js'

interface EntryContext {
  readonly notes: Notes
  readonly unread: Pick<UnreadRecords, 'add'>
  readonly locales: readonly [string, ...string[]]
  readonly files: ValueContext['files']
  readonly lists: Lists
}

const nameFor = (id: string, label: string, valid: typeof keyName): string =>
  valid.safeParse(id).success ? id : camelCase(/^[A-Za-z]/.test(id) ? id : label || id)

/** Names for front ends, by ids; of several records with one id, the first gives the name. */
function namesFor(
  records: readonly { readonly id: string; readonly label: string }[],
  valid: typeof keyName,
): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set(records.map(({ id }) => id))
  for (const { id, label } of records) {
    if (names.has(id)) continue
    taken.delete(id)
    names.set(id, takeName(nameFor(id, label, valid), taken))
  }
  return names
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
  records: Records<ContentfulRecord>,
  kind: 'entries' | 'assets',
  notes: Notes,
): Records<ContentfulRecord> {
  const seen = new Set<string>()
  const kept: { readonly at: number; readonly time: string }[] = []
  let at = 0
  for (const one of records) {
    const { id, archivedAt, archivedVersion } = one.sys
    if (archivedAt !== undefined || archivedVersion !== undefined)
      notes.add(`Archived ${kind} are left out`, id)
    else if (seen.has(id)) notes.add(`Of several ${kind} with the same id, only the first is imported`, id)
    else {
      seen.add(id)
      kept.push({ at, time: madeAt(one) })
    }
    at++
  }
  kept.sort(byTime(({ time }) => time))
  return recordsOf(kept.length, i => recordAt(records, recordAt(kept, i).at))
}

/** A content type, with its fields and the number of its published entries. */
interface TypeReader {
  readonly type: ContentfulType
  readonly name: string
  readonly names: ReadonlyMap<string, string>
  readonly fields: readonly { readonly id: string; readonly reader: FieldReader }[]
  published: number
}

class EntryReader {
  private readonly types = new Map<string, TypeReader>()
  private readonly entries: Records<ContentfulRecord>
  /** The places of entries that have a type. */
  private readonly sources = new Map<string, { readonly at: number; readonly of: TypeReader }>()

  constructor(
    private readonly content: ContentfulExport,
    private readonly context: EntryContext,
  ) {
    const { notes } = context
    const types = firstOf(content.contentTypes, ({ sys }) => sys.id)
    const typeNames = namesFor(
      types.map(({ sys, name }) => ({ id: sys.id, label: name })),
      datatypeName,
    )
    for (const [id, name] of typeNames)
      if (name !== id) notes.add('Content types get a different name', `${id} is ${name}`)
    for (const type of types) this.types.set(type.sys.id, this.typeReader(type, typeNames))
    this.entries = live(content.entries, 'entries', notes)
  }

  read(): { types: ImportedType[]; entries: Records<ImportedEntry> } {
    let at = 0
    for (const source of this.entries) this.gather(source, at++)
    const made = this.context.lists.make<ImportedEntry>()
    for (const { at, of } of this.sources.values()) made.push(this.entry(recordAt(this.entries, at), of))
    return { types: [...this.types.values()].map(one => this.type(one)), entries: made }
  }

  private typeReader(type: ContentfulType, typeNames: ReadonlyMap<string, string>): TypeReader {
    const { locales, files } = this.context
    const { id } = type.sys
    const name = typeNames.get(id) ?? id
    const controls = this.content.editorInterfaces.find(one => one.sys.contentType.sys.id === id)?.controls
    const given = firstOf(type.fields, field => field.id)
    const names = namesFor(
      given.map(field => ({ id: field.id, label: field.name })),
      keyName,
    )
    const defaultLocale = locales[0]
    const sources = {
      has: (key: string) => this.sources.has(key),
      get: (key: string) => {
        const found = this.sources.get(key)
        return found && { source: recordAt(this.entries, found.at), type: found.of.type }
      },
    }
    const rules = {
      ...{ typeNames, defaultLocale },
      typeOfEntry: (key: string) => this.sources.get(key)?.of.name,
      mediaTypeOfFile: (key: string) => files.get(key)?.mediaType,
    }
    const fields = given.map(field => {
      const own = names.get(field.id) ?? field.id
      const reader = new FieldReader(field, own, {
        ...{ rules, locales, targets: { sources, files, defaultLocale } },
        control: controls?.find(({ fieldId }) => fieldId === field.id),
        place: `${name}.${own}`,
      })
      return { id: field.id, reader }
    })
    return { type, name, names, fields, published: 0 }
  }

  private gather(source: ContentfulRecord, at: number): void {
    const { notes } = this.context
    const { id, contentType, version, publishedVersion } = source.sys
    const of = this.types.get(contentType?.sys.id ?? '')
    if (!of) {
      this.context.unread.add(`entries: ${id}`, 'the export lacks its content type')
      return
    }
    this.sources.set(id, { at, of })
    if (version !== undefined && publishedVersion !== undefined && version > publishedVersion + 1)
      notes.add('Published entries include their unpublished changes', id)
    if ((source.metadata?.tags.length ?? 0) > 0) notes.add('Tags of entries are left out', id)
    if (Object.keys(source.fields).some(name => !of.names.has(name)))
      notes.add('Values of fields that the content type does not have are left out', id)
    if (isPublished(source)) of.published++
    for (const { reader } of of.fields) reader.look(source)
  }

  private type({ type, name, names, fields, published }: TypeReader): ImportedType {
    const { notes } = this.context
    const made = fields.map(({ id, reader }) => {
      if (reader.name !== id) notes.add('Fields get a different name', `${name}.${id} is ${reader.name}`)
      const field = reader.imported(published)
      notes.addAll(reader.notes)
      return field
    })
    this.noteDisplayField(type.displayField, name, names, made)
    const compat = compatName(type.sys.id, name)
    return {
      ...{ name, label: labelFor(type.name, name), hasPages: false, fields: made },
      ...(compat.name === undefined ? {} : { compat }),
    }
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

  private entry(source: ContentfulRecord, { name, fields }: TypeReader): ImportedEntry {
    const { id, publishedAt, firstPublishedAt } = source.sys
    const [defaultLocale, ...others] = this.context.locales
    const all = new Map<string, [field: string, value: ImportedValue][]>()
    for (const { reader } of fields)
      for (const { locale, value } of reader.take(source)) {
        const own = all.get(locale) ?? []
        own.push([reader.name, value])
        all.set(locale, own)
      }
    const valuesIn = (locale: string): ImportedValues => Object.fromEntries(all.get(locale) ?? [])
    const translated = others.filter(locale => all.has(locale)).map(locale => [locale, valuesIn(locale)])
    const isPublic = isPublished(source)
    const published = timeIn(publishedAt, firstPublishedAt, source.sys.updatedAt)
    // Published content changed last at its publication.
    const changed = isPublic ? timeIn(publishedAt, source.sys.updatedAt) : timeIn(source.sys.updatedAt)
    return {
      ...{ key: id, ids: [{ kind: 'Entry', id }] },
      type: name,
      isPublished: isPublic,
      createdAt: madeAt(source),
      ...(changed !== undefined && { changedAt: changed }),
      ...(isPublic && published !== undefined && { publishedAt: published }),
      source: { size: sizeOfJson(Object.values(source.fields)) },
      values: valuesIn(defaultLocale),
      ...(translated.length > 0 && { translations: Object.fromEntries(translated) }),
    }
  }
}

/** The types and entries of an export. */
export const importedEntries = (content: ContentfulExport, context: EntryContext) =>
  new EntryReader(content, context).read()
