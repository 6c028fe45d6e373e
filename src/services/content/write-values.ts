import type { InsertOf } from '../../db/columns.js'
import type { Reader } from '../../db/reader.js'
import type { EntryRow, FieldRow, ValueRow } from '../../db/tables.js'
import { type ContentSpace, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { allInvalid, HttpError, invalid, renamed } from '../../errors.js'
import { Turns } from '../../turns.js'
import type { Values } from './content-input.js'
import type { EditableEntry } from './edit-trees.js'
import { defaultText } from './field-data.js'
import { checkValue, type Named } from './field-values.js'
import { storedText } from './json-values.js'

type NewValue = InsertOf<ContentSpace['contentFields']>
type IsComing = (id: string) => boolean

/** A refusal lists this many wrong values: more help nobody, and a hostile request would get megabytes back. */
const maxErrors = 100

/** @throws 400 when the value does not fit the field, or names a missing record */
export async function refuseMissing(
  read: Reader,
  space: ContentSpace,
  field: FieldRow,
  text: string,
): Promise<void> {
  const named = checkValue(field, text)
  for (const id of named.media)
    if (!(await read.exists(space.media, { media_id: id })))
      throw invalid('field_value', `${field.name} must be the id of a media item`)
  for (const id of named.content)
    if (!(await read.exists(space.contentData, { content_data_id: id })))
      throw invalid('field_value', `${field.name} must be the id of an existing entry`)
}

function refuseUntranslatable(locale: string, field: FieldRow): void {
  if (locale !== '' && !field.translatable) throw invalid('locale', `${field.name} is not translatable`)
}

/** @throws 400 when the field has no values in the locale */
export async function refuseLocale(read: Reader, locale: string, field: FieldRow): Promise<void> {
  refuseUntranslatable(locale, field)
  if (locale !== '' && !(await read.exists(tables.locales, { code: locale })))
    throw invalid('locale', 'the locale does not exist')
}

/** The route that an entry's whole tree is on. */
export async function routeOf(read: Reader, space: ContentSpace, entry: EntryRow): Promise<string | null> {
  if (entry.root_id === entry.content_data_id) return entry.route_id
  return (await read.get(space.contentData, entry.root_id))?.route_id ?? null
}

type Locales = Readonly<Record<string, { readonly fields: Values }>>

/** Values that a request gives for one entry. */
export interface GivenValues {
  entry: EditableEntry
  values: Values
  author_id: string
  locale?: string | undefined
  changed_at?: string | undefined
  /** Where the values are in the request, such as `children.2.`; refusals begin with it. */
  member?: string
  isFurther?: boolean
}

/**
 * The values that a request gives for one entry, in each locale.
 * @throws 400 when it gives them twice in one locale
 */
export function valuesOf(
  given: { fields?: Values | undefined; locale?: string | undefined; locales?: Locales | undefined },
  { member = '', ...rest }: Pick<GivenValues, 'entry' | 'author_id' | 'member' | 'changed_at'>,
): GivenValues[] {
  const { fields = {}, locale, locales = {} } = given
  const further = Object.entries(locales).map(([code, own]) => {
    const at = `${member}locales.${code}`
    if (code === locale && given.fields)
      throw invalid(at, 'this is the locale of `fields`: put the values there')
    return { ...rest, values: own.fields, locale: code, member: `${at}.`, isFurther: true }
  })
  return [{ ...rest, values: fields, locale, member }, ...further]
}

/** One value to write, or to take away where it has no text. */
interface Change extends Named {
  entry: EditableEntry
  field: FieldRow
  text: string | undefined
  author_id: string
  locale: string
  changed_at: string | undefined
  member: string
  localeMember: string
}

/**
 * Writes values of entries of one tree by field name, in a few statements and one for each value that was there.
 * @param given.entry all are in one tree
 * @param fresh the entries are new: they have no values yet, and get the defaults of fields that are not given
 * @param isComing whether an entry that is not here will be: values may name it
 * @returns the fields whose values changed, by the ids of their entries
 * @throws 400 when the datatype does not have this field or the value does not fit it
 */
export async function writeValues(
  tx: Writer,
  space: ContentSpace,
  given: readonly GivenValues[],
  { fresh = false, isComing = () => false }: { fresh?: boolean; isComing?: IsComing | undefined } = {},
): Promise<Map<string, Set<string>>> {
  const changed = new Map<string, Set<string>>()
  const named = fresh ? given : given.filter(({ values }) => Object.keys(values).length > 0)
  const [first] = named
  if (!first) return changed
  const changes = await changesOf(tx, space, named, fresh)
  await refuseUnknownRecords(tx, space, changes, isComing)
  if (changes.length === 0) return changed
  const stored = fresh ? new Map<string, ValueRow>() : await storedValues(tx, space, named)
  const route_id = await routeOf(tx, space, first.entry)
  const [added, gone]: [NewValue[], ValueRow[]] = [[], []]
  for (const change of changes) {
    const { entry, field, text } = change
    const { content_data_id } = entry
    const before = stored.get(joinedKey(content_data_id, field.field_id, change.locale))
    if (text === undefined && !before) continue
    if (text === undefined && before) gone.push(before)
    else if (!before) added.push(newValue(change, route_id))
    else if (!(await tx.update(space.contentFields, before.content_field_id, { field_value: text })).changed)
      continue
    changed.set(content_data_id, (changed.get(content_data_id) ?? new Set()).add(field.field_id))
  }
  if (gone.length > 0) await tx.removeAll(space.contentFields, gone)
  if (added.length > 0) await tx.insertAll(space.contentFields, added)
  return changed
}

const newValue = (
  { entry, field, text, author_id, locale, changed_at }: Change,
  route_id: string | null,
): NewValue => ({
  content_data_id: entry.content_data_id,
  field_id: field.field_id,
  locale,
  field_value: text ?? '',
  route_id,
  author_id,
  date_modified: changed_at,
})

const joinedKey = (...ids: readonly string[]) => ids.join(' ')

async function storedValues(
  read: Reader,
  { contentFields }: ContentSpace,
  given: readonly GivenValues[],
): Promise<Map<string, ValueRow>> {
  const ids = given.map(({ entry }) => entry.content_data_id)
  const rows = await read.findIn(contentFields, 'content_data_id', ids)
  return new Map(rows.map(row => [joinedKey(row.content_data_id, row.field_id, row.locale), row]))
}

async function changesOf(
  read: Reader,
  space: ContentSpace,
  given: readonly GivenValues[],
  withDefaults: boolean,
): Promise<Change[]> {
  const datatypes = [...new Set(given.map(({ entry }) => entry.datatype_id))]
  const fields = new Map(
    (await read.findIn(space.fields, 'parent_id', datatypes)).map(field => [
      joinedKey(field.parent_id, field.name),
      field,
    ]),
  )
  const byDatatype = withDefaults ? defaultsOf([...fields.values()]) : undefined
  const changes = await givenChanges(given, fields)
  for (const { entry, values, author_id, changed_at, member: path = '' } of given.filter(
    one => !one.isFurther,
  ))
    for (const { field, text } of byDatatype?.get(entry.datatype_id) ?? []) {
      const member = `${path}fields.${field.name}`
      if (!Object.hasOwn(values, field.name))
        changes.push(
          checkedChange(
            { entry, field, author_id, locale: '', changed_at, member, localeMember: 'locale' },
            text,
          ),
        )
    }
  await refuseUnknownLocales(read, changes)
  return changes
}

/** @throws 400 that lists every value that does not fit its field */
async function givenChanges(
  given: readonly GivenValues[],
  fields: ReadonlyMap<string, FieldRow>,
): Promise<Change[]> {
  const changes: Change[] = []
  const refused: HttpError[] = []
  const turns = new Turns()
  for (const one of given)
    for (const name of Object.keys(one.values)) {
      const change = givenChange(one, name, fields)
      if (change instanceof HttpError) refused.push(change)
      else changes.push(change)
      if (refused.length >= maxErrors) break
      if (turns.isOver) await turns.next()
    }
  if (refused.length > 0) throw asOne(refused.slice(0, maxErrors))
  return changes
}

/** Returns the change that a value asks for, or why it cannot be. */
function givenChange(
  { entry, values, author_id, locale = '', changed_at, member: path = '', isFurther }: GivenValues,
  name: string,
  fields: ReadonlyMap<string, FieldRow>,
): Change | HttpError {
  const member = `${path}fields.${name}`
  const field = fields.get(joinedKey(entry.datatype_id, name))
  if (!field) return invalid(member, 'the datatype does not have this field')
  const localeMember = isFurther ? path.slice(0, -1) : 'locale'
  const change = { entry, field, author_id, locale, changed_at, member, localeMember }
  try {
    return checkedChange(change, values[name] as Values[string])
  } catch (error) {
    if (error instanceof HttpError) return error
    throw error
  }
}

/** Returns the refusals of several values as one that lists all of them. */
function asOne(refused: readonly HttpError[]): HttpError {
  const errors = refused.map(({ message, member = '' }) => ({ error: message, member }))
  const [first, ...others] = errors
  return first && others.length > 0 ? allInvalid([first, ...others]) : (refused[0] as HttpError)
}

function defaultsOf(fields: readonly FieldRow[]): Map<string, { field: FieldRow; text: string }[]> {
  const found = new Map<string, { field: FieldRow; text: string }[]>()
  for (const field of fields) {
    const text = defaultText(field)
    if (text === undefined) continue
    const known = found.get(field.parent_id)
    if (known) known.push({ field, text })
    else found.set(field.parent_id, [{ field, text }])
  }
  return found
}

function checkedChange(change: Omit<Change, 'text' | keyof Named>, value: Values[string]): Change {
  const { field, locale, member, localeMember } = change
  try {
    refuseUntranslatable(locale, field)
    const text = storedText(field, value)
    return { ...change, text, ...checkValue(field, text ?? '') }
  } catch (error) {
    throw renamed(error, name => (name === 'field_value' ? member : localeMember))
  }
}

async function refuseUnknownLocales(read: Reader, changes: readonly Change[]): Promise<void> {
  const members = new Map(changes.map(({ locale, localeMember }) => [locale, localeMember]))
  for (const [locale, member] of members)
    if (locale !== '' && !(await read.exists(tables.locales, { code: locale })))
      throw invalid(member, 'the locale does not exist')
}

async function refuseUnknownRecords(
  read: Reader,
  { media, contentData }: ContentSpace,
  changes: readonly Change[],
  isComing: IsComing,
): Promise<void> {
  const known = new Set<string>()
  const ids = (kind: keyof Named) => [...new Set(changes.flatMap(change => change[kind]))]
  for (const row of await read.findIn(media, 'media_id', ids('media'))) known.add(row.media_id)
  for (const row of await read.findIn(contentData, 'content_data_id', ids('content')))
    known.add(row.content_data_id)
  for (const { member, field, ...named } of changes) {
    if (named.media.some(id => !known.has(id)))
      throw invalid(member, `${field.name} must be the id of a media item`)
    if (named.content.some(id => !known.has(id) && !isComing(id)))
      throw invalid(member, `${field.name} must be the id of an existing entry`)
  }
}
