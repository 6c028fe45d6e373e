import { z } from 'zod'
import type { Database } from '../../db/database.js'
import type { ContentSpace } from '../../db/tables.js'
import { conflict } from '../../errors.js'
import { authorId, keyName, reference, settings, sortOrder } from '../body-parts.js'
import { type Crud, crud } from '../crud.js'
import { camelCase, label } from '../text.js'
import { fieldType } from './field-types.js'

/** Settings of a field by its type: options of a select, range of a number, target and cardinality of a relation. */
const data = settings.superRefine((given, context) => {
  const refuse = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message })
  const { options, min, max, integer, cardinality, target } = given
  if (options !== undefined && !Array.isArray(options)) refuse('options', 'must be an array')
  for (const [name, limit] of Object.entries({ min, max }))
    if (limit !== undefined && typeof limit !== 'number') refuse(name, 'must be a number')
  if (integer !== undefined && typeof integer !== 'boolean') refuse('integer', 'must be true or false')
  if (cardinality !== undefined && cardinality !== 'one' && cardinality !== 'many')
    refuse('cardinality', 'must be one or many')
  if (target !== undefined && typeof target !== 'string') refuse('target', 'must be the name of a datatype')
})

const members = {
  label: label(),
  name: keyName,
  field_type: fieldType,
  parent_id: reference,
  data,
  ui_config: settings,
  required: z.boolean(),
  translatable: z.boolean(),
  sort_order: sortOrder,
  author_id: authorId,
}

export const FieldCreate = z
  .object({
    ...members,
    name: members.name.optional(),
    data: data.default({}),
    ui_config: settings.default({}),
    required: z.boolean().default(false),
    translatable: z.boolean().default(false),
    sort_order: sortOrder.default(0),
  })
  .transform(given => ({ ...given, name: given.name ?? camelCase(given.label) }))
export const FieldUpdate = z.object(members).partial()

export type FieldService = Crud<ContentSpace['fields']>

/** The fields of datatypes. A field keeps its values whatever it is called. */
export function fields(db: Database, space: ContentSpace): FieldService {
  return {
    ...crud(db, space.fields),
    update: (actor, id, patch, check) =>
      db.write(actor, async tx => {
        const { before, after } = await tx.update(space.fields, id, patch, check)
        const moved = before.parent_id !== after.parent_id || before.field_type !== after.field_type
        if (moved && (await tx.exists(space.contentFields, { field_id: id })))
          throw conflict('field_type and parent_id cannot change while entries have values of this field')
        return after
      }),
  }
}
