import { z } from 'zod'
import { type Actor, authorOf } from '../../actor.js'
import type { ContentSpace, EntryRow, ValueRow } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { invalid, missingReference, notFound } from '../../errors.js'
import { authorId, reference } from '../body-parts.js'
import { type Check, type Crud, reads } from '../crud.js'
import type { ContentContext } from './context.js'
import { type EditableEntry, editTree } from './edit-trees.js'
import { markEdited } from './entry-rows.js'
import { withStoredIds } from './field-values.js'
import { refuseBrokenEdit } from './publication-check.js'
import { refuseLocale, refuseMissing, routeOf } from './write-values.js'

const value = z
  .union([z.string(), z.number(), z.boolean()], 'must be text, a number or a boolean')
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

type Create = z.output<typeof ContentFieldCreate>
type Update = z.output<typeof ContentFieldUpdate>
export type ContentFieldService = Crud<ContentSpace['contentFields'], Create, Update>

/** Field values of entries. Each is checked by its field's type when it is written. */
export function contentFields(context: ContentContext): ContentFieldService {
  const { db, space } = context
  const table = space.contentFields
  return {
    ...reads(db, table),
    create: (actor, input) => db.write(actor, tx => create(tx, context, actor, input)),
    update: (actor, id, patch, check) =>
      db.edit(actor, tx => update(tx, context, actor, { id, patch, check })),
    remove: (actor, id, check) =>
      db.write(actor, async tx => {
        const { entry, row } = await editValue(tx, context, id)
        await tx.remove(table, id, check)
        await valueChanged(tx, context, actor, entry, row.field_id)
      }),
  }
}

async function editValue(tx: Writer, context: ContentContext, id: string) {
  const { contentFields } = context.space
  const found = await tx.get(contentFields, id)
  if (!found) throw notFound()
  const entry = await editTree(tx, context, found.content_data_id)
  return { entry, row: await tx.lock(contentFields, id) }
}

async function create(tx: Writer, context: ContentContext, actor: Actor, input: Create): Promise<ValueRow> {
  const { space } = context
  if (!(await tx.exists(space.contentData, { content_data_id: input.content_data_id })))
    throw missingReference('content_data_id', space.contentData.name)
  const entry = await editTree(tx, context, input.content_data_id)
  const field = await tx.get(space.fields, input.field_id)
  if (!field) throw missingReference('field_id', space.fields.name)
  if (field.parent_id !== entry.datatype_id)
    throw invalid('field_id', 'must be a field of the entry’s datatype')
  await refuseLocale(tx, input.locale, field)
  const field_value = withStoredIds(field, input.field_value)
  await refuseMissing(tx, space, field, field_value)
  const route_id = await checkedRoute(tx, space, entry, input.route_id)
  const author_id = authorOf(actor, input.author_id)
  const row = await tx.insert(space.contentFields, { ...input, field_value, route_id, author_id })
  await valueChanged(tx, context, actor, entry, field.field_id)
  return row
}

async function update(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  { id, patch, check }: { id: string; patch: Update; check: Check<ValueRow> | undefined },
): Promise<ValueRow> {
  const { space } = context
  const { entry, row } = await editValue(tx, context, id)
  check?.(row)
  for (const name of ['content_data_id', 'field_id', 'locale'] as const)
    if (patch[name] !== undefined && patch[name] !== row[name]) throw invalid(name, 'cannot change')
  await checkedRoute(tx, space, entry, patch.route_id)
  const { author_id } = patch
  let { field_value } = patch
  const field = field_value === undefined ? undefined : await tx.get(space.fields, row.field_id)
  if (field && field_value !== undefined) {
    field_value = withStoredIds(field, field_value)
    await refuseMissing(tx, space, field, field_value)
  }
  const { after, changed } = await tx.update(space.contentFields, id, { field_value, author_id })
  if (changed) await valueChanged(tx, context, actor, entry, row.field_id)
  return after
}

async function valueChanged(
  tx: Writer,
  { space, events }: ContentContext,
  actor: Actor,
  entry: EditableEntry,
  fieldId: string,
): Promise<void> {
  await refuseBrokenEdit(tx, space, entry, new Set([fieldId]))
  const [after = entry] = await markEdited(tx, space, [entry])
  await events.edited(tx, actor, after)
}

/** The route of the entry. @throws 400 when another is given */
async function checkedRoute(
  tx: Writer,
  space: ContentSpace,
  entry: EntryRow,
  given: string | null | undefined,
): Promise<string | null> {
  const route = await routeOf(tx, space, entry)
  if (given !== undefined && given !== null && given !== route)
    throw invalid('route_id', 'must be the route of the entry')
  return route
}
