import type { RowOf } from '../../db/columns.js'
import type { Reader } from '../../db/reader.js'
import { type ContentSpace, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { invalid } from '../../errors.js'
import type { EditableEntry } from './edit-trees.js'
import { checkValue } from './field-values.js'

type Entry = RowOf<ContentSpace['contentData']>
type Field = RowOf<ContentSpace['fields']>

/** @throws 400 when the value does not fit the field, or names a record that there is not */
export async function refuseMissing(
  read: Reader,
  space: ContentSpace,
  field: Field,
  text: string,
): Promise<void> {
  const named = checkValue(field, text)
  for (const id of named.media)
    if (!(await read.exists(space.media, { media_id: id })))
      throw invalid('field_value', `${field.name} names no media`)
  for (const id of named.content)
    if (!(await read.exists(space.contentData, { content_data_id: id })))
      throw invalid('field_value', `${field.name} names no content`)
}

/** @throws 400 when the field has no values in the locale */
export async function refuseLocale(read: Reader, locale: string, field: Field): Promise<void> {
  if (locale === '') return
  if (!field.translatable) throw invalid('locale', `${field.name} is not translatable`)
  if (!(await read.exists(tables.locales, { code: locale }))) throw invalid('locale', 'no such locale')
}

/** The route that an entry's whole tree is on. */
export async function routeOf(read: Reader, space: ContentSpace, entry: Entry): Promise<string | null> {
  if (entry.root_id === entry.content_data_id) return entry.route_id
  return (await read.get(space.contentData, entry.root_id))?.route_id ?? null
}

/**
 * Writes values of an entry by field name.
 * @returns how many values changed
 * @throws 400 when the datatype has no such field or the value does not fit it
 */
export async function writeValues(
  tx: Writer,
  space: ContentSpace,
  entry: EditableEntry,
  values: Readonly<Record<string, string | number | boolean>>,
  { author_id, locale = '' }: { author_id: string; locale?: string | undefined },
): Promise<number> {
  const names = Object.keys(values)
  if (names.length === 0) return 0
  const { content_data_id } = entry
  const fields = new Map(
    (await tx.findAll(space.fields, { parent_id: entry.datatype_id })).map(field => [field.name, field]),
  )
  const stored = new Map(
    (await tx.findAll(space.contentFields, { content_data_id, locale })).map(row => [row.field_id, row]),
  )
  const route_id = await routeOf(tx, space, entry)
  const fresh = []
  let changed = 0
  for (const name of names) {
    const field = fields.get(name)
    if (!field) throw invalid(`fields.${name}`, 'the datatype has no such field')
    const field_value = String(values[name])
    await refuseLocale(tx, locale, field)
    await refuseMissing(tx, space, field, field_value)
    const before = stored.get(field.field_id)
    if (!before)
      fresh.push({ content_data_id, field_id: field.field_id, locale, field_value, route_id, author_id })
    else if ((await tx.update(space.contentFields, before.content_field_id, { field_value })).changed)
      changed++
  }
  if (fresh.length > 0) await tx.insertAll(space.contentFields, fresh)
  return changed + fresh.length
}
