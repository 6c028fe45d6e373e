import { z } from 'zod'
import { type Actor, authorOf } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import type { Reader } from '../../db/reader.js'
import { type ContentSpace, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { invalid, missingReference, notFound } from '../../errors.js'
import { authorId, reference } from '../body-parts.js'
import { type Crud, reads } from '../crud.js'
import type { ContentEvents } from './events.js'
import { checkValue } from './field-values.js'
import { lockTrees } from './placement.js'
import type { Staging } from './staging.js'

/** Text, or a number or truth value, which is taken as its text. */
const value = z
  .union([z.string(), z.number(), z.boolean()], 'must be text, a number or a truth value')
  .transform(String)

export const ContentFieldCreate = z.object({
  content_data_id: reference,
  field_id: reference,
  field_value: value,
  locale: z.string().max(64).default(''),
  route_id: reference.nullable().optional(),
  author_id: authorId,
})
export const ContentFieldUpdate = z.object({
  content_data_id: reference.optional(),
  field_id: reference.optional(),
  locale: z.string().max(64).optional(),
  field_value: value.optional(),
  route_id: reference.nullable().optional(),
  author_id: authorId,
})

type Entry = RowOf<ContentSpace['contentData']>
type Field = RowOf<ContentSpace['fields']>
type Create = z.output<typeof ContentFieldCreate>
type Update = z.output<typeof ContentFieldUpdate>
export type ContentFieldService = Crud<ContentSpace['contentFields'], Create, Update>

async function refuseMissing(read: Reader, space: ContentSpace, field: Field, text: string): Promise<void> {
  const named = checkValue(field, text)
  for (const id of named.media)
    if (!(await read.exists(space.media, { media_id: id })))
      throw invalid('field_value', `${field.name} names no media`)
  for (const id of named.content)
    if (!(await read.exists(space.contentData, { content_data_id: id })))
      throw invalid('field_value', `${field.name} names no content`)
}

async function refuseLocale(read: Reader, locale: string, field: Field): Promise<void> {
  if (locale === '') return
  if (!field.translatable) throw invalid('locale', `${field.name} is not translatable`)
  if (!(await read.exists(tables.locales, { code: locale }))) throw invalid('locale', 'no such locale')
}

/** The route that an entry's whole tree is on. */
async function routeOf(read: Reader, space: ContentSpace, entry: Entry): Promise<string | null> {
  if (entry.root_id === entry.content_data_id) return entry.route_id
  return (await read.get(space.contentData, entry.root_id))?.route_id ?? null
}

/**
 * Writes values of an entry by field name, in the transaction that holds its tree.
 * @returns how many values changed
 * @throws 400 when the datatype has no such field or the value does not fit it
 */
export async function writeValues(
  tx: Writer,
  space: ContentSpace,
  entry: Entry,
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

/** Field values of entries (4.6). Each is checked by its field's type when it is written. */
export function contentFields(
  db: Database,
  space: ContentSpace,
  { events, staging }: { events: ContentEvents; staging: Staging },
): ContentFieldService {
  const table = space.contentFields

  /** The entry and the stored value, in the lock of their tree. */
  async function locked(tx: Writer, id: string) {
    const found = await tx.get(table, id)
    const [entry] = found ? await lockTrees(tx, space, [found.content_data_id]) : []
    if (!entry) throw notFound()
    await staging.snapshotBeforeEdit(tx, [entry])
    return { entry, row: await tx.lock(table, id) }
  }

  async function refuseForeign(
    tx: Writer,
    entry: Entry,
    given: string | null | undefined,
  ): Promise<string | null> {
    const route = await routeOf(tx, space, entry)
    if (given !== undefined && given !== null && given !== route)
      throw invalid('route_id', 'must be the route of the entry')
    return route
  }

  return {
    ...reads(db, table),
    create: (actor: Actor, input: Create) =>
      db.write(actor, async tx => {
        const exists = await tx.exists(space.contentData, { content_data_id: input.content_data_id })
        if (!exists) throw missingReference('content_data_id', space.contentData.name)
        const [entry] = await lockTrees(tx, space, [input.content_data_id])
        await staging.snapshotBeforeEdit(tx, [entry])
        const field = await tx.get(space.fields, input.field_id)
        if (!entry || !field) throw missingReference('field_id', space.fields.name)
        if (field.parent_id !== entry.datatype_id)
          throw invalid('field_id', 'must be a field of the entry’s datatype')
        await refuseLocale(tx, input.locale, field)
        await refuseMissing(tx, space, field, input.field_value)
        const route_id = await refuseForeign(tx, entry, input.route_id)
        const author_id = authorOf(actor, input.author_id)
        const row = await tx.insert(table, { ...input, route_id, author_id })
        await events.edited(tx, actor, entry)
        return row
      }),
    update: (actor, id, patch, check) =>
      db.write(actor, async tx => {
        const { entry, row } = await locked(tx, id)
        check?.(row)
        for (const name of ['content_data_id', 'field_id', 'locale'] as const)
          if (patch[name] !== undefined && patch[name] !== row[name]) throw invalid(name, 'cannot change')
        await refuseForeign(tx, entry, patch.route_id)
        const { field_value, author_id } = patch
        if (field_value !== undefined) {
          const field = await tx.get(space.fields, row.field_id)
          if (field) await refuseMissing(tx, space, field, field_value)
        }
        const { after, changed } = await tx.update(table, id, { field_value, author_id })
        if (changed) await events.edited(tx, actor, entry)
        return after
      }),
    remove: (actor, id, check) =>
      db.write(actor, async tx => {
        const { entry } = await locked(tx, id)
        await tx.remove(table, id, check)
        await events.edited(tx, actor, entry)
      }),
  }
}
